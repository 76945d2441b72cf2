// Writes and reads safetensors files for tide.save and tide.load.
#include "runtime/io/safetensors.h"

#include <algorithm>

#include "bindings/io/arrays.h"
#include "bindings/io/functions.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/call.h"
#include "bindings/support/arguments.h"
#include "runtime/tensor/transfer.h"

namespace tide::bindings {
namespace {

/// Reads {key = "text"} at a stack index.
FileMetadata metadata_at(lua_State* L, int index) {
  FileMetadata metadata{{"format", "pt"}};  // required by some readers
  if (lua_isnoneornil(L, index)) return metadata;
  if (!lua_istable(L, index)) throw_expected(L, index, "save: metadata", "a table of strings");
  lua_pushnil(L);
  while (lua_next(L, index)) {
    if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
      throw ArgumentError("save: expected metadata to be a table of strings by name");
    metadata[lua_tostring(L, -2)] = lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  return metadata;
}

/// A list of names at a stack index.
std::vector<std::string> names_at(lua_State* L, int index) {
  std::vector<std::string> names;
  if (!lua_istable(L, index)) throw_expected(L, index, "load: only", "a list of names");
  for (lua_Integer i = 1; lua_rawgeti(L, index, i) != LUA_TNIL; ++i) {
    if (lua_type(L, -1) != LUA_TSTRING) throw_expected(L, -1, "load: only", "a list of names");
    names.emplace_back(lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return names;
}

/// Whether a tensor has one of the names, or one as prefix: "model" for "model.0.weight".
bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&](const std::string& wanted) {
    return name.starts_with(wanted) && (name.size() == wanted.size() || name[wanted.size()] == '.');
  });
}

}  // namespace

int save_tensors(lua_State* L) {
  // PyTorch's order is save(tensors, path); save(path, tensors) is accepted too.
  if (lua_type(L, 1) != LUA_TSTRING && lua_type(L, 2) == LUA_TSTRING) {
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 1);
    lua_replace(L, 2);
    lua_replace(L, 1);
  }
  const std::string path = path_at(L, 1, "save");
  std::vector<std::pair<std::string, Tensor>> tensors;
  if (const Tensor* tensor = find_tensor(L, 2))
    tensors.emplace_back("tensor", *tensor);
  else if (lua_type(L, 2) == LUA_TTABLE)
    add_table(L, 2, "", "save", tensors);
  else
    throw_expected(L, 2, "save", "a table of tensors");
  ArraysToWrite arrays;
  for (auto& [name, tensor] : tensors) arrays.add(name, tensor);
  write_safetensors(path, arrays.arrays(), metadata_at(L, 3));
  return 0;
}

int load_tensors(lua_State* L) {
  const std::string path = path_at(L, 1, "load");
  const Device device = device_or(L, 2, default_device(), "load");
  const bool wants_all = lua_isnoneornil(L, 3);
  const std::vector<std::string> only = wants_all ? std::vector<std::string>() : names_at(L, 3);
  std::vector<std::pair<std::string, Tensor>> tensors;
  const FileMetadata metadata = read_safetensors(path, [&](const StoredTensor& stored) {
    if (!wants_all && !is_among(stored.name, only)) return;
    tensors.emplace_back(stored.name,
                         record_filled(stored.shape, stored.type, device, stored.read));
  });
  lua_createtable(L, 0, static_cast<int>(tensors.size()));
  for (const auto& [name, tensor] : tensors) {
    lua_pushlstring(L, name.data(), name.size());
    push_tensor(L, tensor);
    lua_rawset(L, -3);
  }
  lua_createtable(L, 0, static_cast<int>(metadata.size()));
  for (const auto& [key, value] : metadata) {
    lua_pushlstring(L, value.data(), value.size());
    lua_setfield(L, -2, key.c_str());
  }
  return 2;
}

}  // namespace tide::bindings
