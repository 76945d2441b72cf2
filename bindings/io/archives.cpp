#include "bindings/io/archives.h"

#include <algorithm>

#include "bindings/io/arrays.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/call.h"
#include "bindings/support/arguments.h"
#include "bindings/support/object.h"
#include "runtime/io/archive.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"

namespace tide::bindings {

template <>
inline constexpr ClassInfo kClass<std::unique_ptr<ZipArchive>>{"tide.Archive", "archive"};

namespace {

const ZipArchive& archive_at(lua_State* L, const char* function) {
  return *check<std::unique_ptr<ZipArchive>>(L, 1, function);
}

/// Pushes the remaining bytes of a source, at most `most`.
void push_bytes(lua_State* L, ByteSource& source, uint64_t most) {
  const size_t size = std::min(source.remaining(), most);
  luaL_Buffer buffer;
  char* const bytes = luaL_buffinitsize(L, &buffer, size);
  source.read(std::as_writable_bytes(std::span(bytes, size)));
  luaL_pushresultsize(&buffer, size);
}

/// read_file(path, function, most): a string of at most `most` bytes.
int read_file(lua_State* L) {
  FileSource source(path_at(L, 1, text_at(L, 2)));
  push_bytes(L, source, static_cast<uint64_t>(luaL_optinteger(L, 3, INT64_MAX)));
  return 1;
}

/// open(path)
int open(lua_State* L) {
  push_object(L, open_archive(luaL_checkstring(L, 1)));
  return 1;
}

/// archive:members(): a table from names to {number =, size =}; the first of duplicates.
int members(lua_State* L) {
  const auto& all = archive_at(L, "members").members();
  lua_createtable(L, 0, static_cast<int>(all.size()));
  for (size_t i = all.size(); i-- > 0;) {
    lua_pushlstring(L, all[i].name.data(), all[i].name.size());
    lua_createtable(L, 0, 2);
    lua_pushinteger(L, static_cast<lua_Integer>(i));
    lua_setfield(L, -2, "number");
    lua_pushinteger(L, static_cast<lua_Integer>(all[i].size));
    lua_setfield(L, -2, "size");
    lua_rawset(L, -3);
  }
  return 1;
}

std::unique_ptr<ByteSource> member_at(lua_State* L, const ZipArchive& archive, int index) {
  return archive.open(archive.members().at(static_cast<size_t>(luaL_checkinteger(L, index))));
}

/// archive:text(number): the contents of a member.
int text(lua_State* L) {
  const auto source = member_at(L, archive_at(L, "text"), 2);
  push_bytes(L, *source, UINT64_MAX);
  return 1;
}

/// archive:tensor(number, dtype, device): the contents of a member as elements of one dimension.
int tensor(lua_State* L) {
  const auto source = member_at(L, archive_at(L, "tensor"), 2);
  const DType type = dtype_at(L, 3, "tensor");
  const Device device = device_or(L, 4, default_device(), "load_torch");
  const auto count = static_cast<int64_t>(source->remaining() / size_of(type));
  push_tensor(L, record_filled({count}, type, device, [&](std::span<std::byte> elements) {
                source->read(elements);
                if (type == DType::boolean) normalize_booleans(elements);
              }));
  return 1;
}

/// write_archive(path, members): writes an archive; members is a list of {name, string or tensor}.
int write_archive(lua_State* L) {
  const std::string path = luaL_checkstring(L, 1);
  if (!lua_istable(L, 2)) throw_expected(L, 2, "write", "a list of members");
  const auto count = static_cast<int>(lua_rawlen(L, 2));
  luaL_checkstack(L, 8, "members");
  ArraysToWrite arrays;
  std::vector<std::string> names, texts;
  std::vector<bool> is_tensor;
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, 2, i);
    if (!lua_istable(L, -1)) throw_expected(L, -1, "write", "a member {name, contents}");
    lua_rawgeti(L, -1, 1);
    lua_rawgeti(L, -2, 2);
    names.emplace_back(luaL_checkstring(L, -2));
    const Tensor* const x = find_tensor(L, -1);
    is_tensor.push_back(x != nullptr);
    size_t size = 0;
    const char* const bytes = x ? nullptr : luaL_checklstring(L, -1, &size);
    if (x)
      arrays.add("", *x);
    else
      texts.emplace_back(bytes, size);
    lua_pop(L, 3);
  }
  std::vector<ZipMember> members;
  for (size_t i = 0, a = 0, t = 0; i < names.size(); ++i) {
    if (is_tensor[i]) {
      const ArrayToWrite& array = arrays.arrays()[a++];
      members.push_back({names[i], "", {array.data, array.bytes()}});
    } else {
      members.push_back({names[i], texts[t++], {}});
    }
  }
  write_archive(path, members, false);
  return 0;
}

}  // namespace

std::span<const luaL_Reg> archive_functions() {
  static constexpr luaL_Reg functions[] = {
      {"read_file", guard<read_file>}, {"open", guard<open>}, {"write", guard<write_archive>}};
  return functions;
}

void open_archive_class(lua_State* L) {
  const luaL_Reg metamethods[] = {{nullptr, nullptr}};
  const luaL_Reg methods[] = {{"members", guard<members>},
                              {"text", guard<text>},
                              {"tensor", guard<tensor>},
                              {nullptr, nullptr}};
  open_class<std::unique_ptr<ZipArchive>>(L, metamethods, methods);
  lua_pop(L, 1);
}

}  // namespace tide::bindings
