// Writes and reads safetensors files for tide.save and tide.load.
#include "runtime/io/safetensors.h"

#include <algorithm>

#include "bindings/io/arrays.h"
#include "bindings/io/functions.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/arguments.h"
#include "runtime/tensor/transfer.h"

namespace tide::bindings {
namespace {

/// The strings of a table by their keys.
FileMetadata read_metadata(lua_State* L, Table table) {
  FileMetadata metadata;
  lua_pushnil(L);
  while (lua_next(L, table.index)) {
    if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
      throw ArgumentError("save: expected metadata to be a table of strings by name");
    metadata[lua_tostring(L, -2)] = lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  return metadata;
}

std::vector<std::string> read_names(lua_State* L, Table list) {
  std::vector<std::string> names;
  for (lua_Integer i = 1; lua_rawgeti(L, list.index, i) != LUA_TNIL; ++i) {
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

int save_tensors(lua_State* L, Value value, const std::string& path,
                 const std::optional<Table>& more) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  if (const Tensor* tensor = find_tensor(L, value.index))
    tensors.emplace_back("tensor", *tensor);
  else if (lua_type(L, value.index) == LUA_TTABLE)
    add_table(L, value.index, "", "save", tensors);
  else
    throw_expected(L, value.index, "save", "a table of tensors");
  FileMetadata metadata = more ? read_metadata(L, *more) : FileMetadata();
  metadata.emplace("format", "pt");  // required by some readers
  ArraysToWrite arrays;
  for (auto& [name, tensor] : tensors) arrays.add(name, tensor);
  write_safetensors(path, arrays.arrays(), metadata);
  return 0;
}

int load_tensors(lua_State* L, const std::string& path, const std::optional<Device>& wanted,
                 const std::optional<Table>& only) {
  const std::vector<std::string> names = only ? read_names(L, *only) : std::vector<std::string>();
  const Device device = wanted.value_or(default_device());
  std::vector<std::pair<std::string, Tensor>> tensors;
  const FileMetadata metadata = read_safetensors(path, [&](const StoredTensor& stored) {
    if (only && !is_among(stored.name, names)) return;
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

}  // namespace

std::span<const luaL_Reg> safetensors_functions() {
  static constexpr luaL_Reg functions[] = {
      kNative<save_tensors, "save", "tensors, path, metadata?">,
      kNative<load_tensors, "load", "path, device?, only?">,
  };
  return functions;
}

}  // namespace tide::bindings
