// Functions on files and folders for the library's Lua files.
#include "bindings/io/files.h"

#include <locale.h>

#include <optional>
#include <string>
#include <vector>

#include "bindings/io/arrays.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/embedded.h"
#include "bindings/support/fields.h"
#include "bindings/support/text_file.h"
#include "runtime/io/file_form.h"
#include "runtime/io/folders.h"
#include "runtime/io/packed_file.h"

namespace tide::bindings {
namespace {

int list_folder(lua_State* L, const std::string& path) {
  const std::vector<FolderEntry> entries = tide::list_folder(path);
  const int count = static_cast<int>(entries.size());
  lua_createtable(L, count, 0);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; ++i) {
    lua_pushlstring(L, entries[i].name.data(), entries[i].name.size());
    lua_rawseti(L, -3, i + 1);
    lua_pushstring(L, name_of(entries[i].kind));
    lua_rawseti(L, -2, i + 1);
  }
  return 2;
}

int file_kind(lua_State* L, const std::string& path) {
  const auto status = file_status(path);
  if (!status) return 0;
  lua_pushstring(L, name_of(status->kind));
  if (status->kind != FileKind::file) return 1;
  lua_pushinteger(L, static_cast<lua_Integer>(status->size));
  return 2;
}

Tensor read_bytes(const std::string& path, int64_t limit) {
  return tensor_of(read_packed_file(path, static_cast<uint64_t>(limit)), Device{});
}

std::optional<std::string> file_form(const std::string& path) {
  std::string form = form_of_file(path);
  return form.empty() ? std::nullopt : std::optional(std::move(form));
}

int read_embedded(lua_State* L, const std::string& path) {
  const auto text = read_script(path);
  if (!text) return 0;
  lua_pushlstring(L, text->data(), text->size());
  return 1;
}

int push_paths(lua_State* L, const std::vector<std::string>& paths) {
  push_list(L, paths, [L](const std::string& path) { push_field(L, path); });
  return 1;
}

int list_embedded(lua_State* L, const std::string& prefix) {
  return push_paths(L, list_scripts(prefix));
}

int find_in_embedded(lua_State* L, const std::string& folder, const std::string& text) {
  return push_paths(L, find_in_scripts(folder, text));
}

/// with_decimal_point(fn, ...): calls fn(...) with a decimal point in numbers, even if the locale
/// uses a decimal comma.
int with_decimal_point(lua_State* L) {
  static const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", nullptr);
  const locale_t before = uselocale(plain);
  const int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  uselocale(before);
  return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

}  // namespace

std::span<const luaL_Reg> file_functions() {
  static constexpr luaL_Reg functions[] = {
      kNative<make_folders, "make_folders", "path">,
      kNative<change_folder, "change_folder", "path">,
      kNative<list_folder, "list_folder", "path">,
      kNative<file_kind, "file_kind", "path">,
      kNative<file_form, "file_form", "path">,
      kNative<read_bytes, "read_bytes", "path, limit">,
      kNative<md5_of_file, "md5", "path">,
      kNative<write_text_file, "write_file", "path, text">,
      kNative<read_embedded, "read_embedded", "path">,
      kNative<list_embedded, "list_embedded", "prefix">,
      kNative<find_in_embedded, "find_in_embedded", "folder, text">,
      {"with_decimal_point", with_decimal_point},
  };
  return functions;
}

}  // namespace tide::bindings
