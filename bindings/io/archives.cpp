#include "bindings/io/archives.h"

#include <algorithm>

#include "bindings/io/arrays.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/arguments.h"
#include "runtime/io/archive.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"

namespace tide::bindings {

template <>
inline constexpr ClassInfo kClass<std::unique_ptr<ZipArchive>>{"tide.Archive", "archive"};

namespace {

using Archive = std::unique_ptr<ZipArchive>;

/// Pushes the remaining bytes of a source, at most `most`.
void push_bytes(lua_State* L, ByteSource& source, uint64_t most) {
  const size_t size = std::min(source.remaining(), most);
  luaL_Buffer buffer;
  char* const bytes = luaL_buffinitsize(L, &buffer, size);
  source.read(std::as_writable_bytes(std::span(bytes, size)));
  luaL_pushresultsize(&buffer, size);
}

/// A string of at most `most` bytes.
int read_file(lua_State* L, const std::string& path, std::optional<int64_t> most) {
  FileSource source(path);
  push_bytes(L, source, static_cast<uint64_t>(most.value_or(INT64_MAX)));
  return 1;
}

/// A table from names to {number =, size =}; the first of duplicates.
int members(lua_State* L, const Archive& archive) {
  const auto& all = archive->members();
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

std::unique_ptr<ByteSource> open_member(const Archive& archive, int64_t number) {
  return archive->open(archive->members().at(static_cast<size_t>(number)));
}

/// The contents of a member.
int text(lua_State* L, const Archive& archive, int64_t number) {
  push_bytes(L, *open_member(archive, number), UINT64_MAX);
  return 1;
}

/// The contents of a member as elements of one dimension.
Tensor tensor(const Archive& archive, int64_t number, DType type, std::optional<Device> device) {
  const auto source = open_member(archive, number);
  const auto count = static_cast<int64_t>(source->remaining() / size_of(type));
  return record_filled({count}, type, device.value_or(default_device()),
                       [&](std::span<std::byte> elements) {
                         source->read(elements);
                         if (type == DType::boolean) normalize_booleans(elements);
                       });
}

/// Writes an archive; the list is of {name, string or tensor}.
int write_members(lua_State* L, const std::string& path, Table list) {
  const auto count = static_cast<int>(lua_rawlen(L, list.index));
  luaL_checkstack(L, 8, "members");
  ArraysToWrite arrays;
  std::vector<std::string> names, texts;
  std::vector<bool> is_tensor;
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, list.index, i);
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
  static constexpr luaL_Reg functions[] = {kNative<read_file, "read_file", "path, most?">,
                                           kNative<open_archive, "open", "path">,
                                           kNative<write_members, "write", "path, members">};
  return functions;
}

void open_archive_class(lua_State* L) {
  const luaL_Reg metamethods[] = {{nullptr, nullptr}};
  const luaL_Reg methods[] = {kNative<members, "members", "archive">,
                              kNative<text, "text", "archive, number">,
                              kNative<tensor, "tensor", "archive, number, dtype, device?">,
                              {nullptr, nullptr}};
  open_class<Archive>(L, metamethods, methods);
  lua_pop(L, 1);
}

}  // namespace tide::bindings
