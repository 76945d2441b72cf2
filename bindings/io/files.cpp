// Functions on files and folders for the library's Lua files.
#include "bindings/io/files.h"

#include <locale.h>

#include <string>
#include <vector>

#include "bindings/io/arrays.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/support/entry.h"
#include "runtime/io/file_form.h"
#include "runtime/io/folders.h"
#include "runtime/io/packed_file.h"

namespace tide::bindings {
namespace {

/// The name at a stack index, which may contain zero bytes.
std::string name_at(lua_State* L, int index) {
  size_t length;
  const char* const name = luaL_checklstring(L, index, &length);
  return {name, length};
}

int make_folders(lua_State* L) {
  lua_pushboolean(L, tide::make_folders(name_at(L, 1)));
  return 1;
}

int change_folder(lua_State* L) {
  tide::change_folder(name_at(L, 1));
  return 0;
}

int list_folder(lua_State* L) {
  const std::vector<FolderEntry> entries = tide::list_folder(name_at(L, 1));
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

int file_kind(lua_State* L) {
  const auto status = file_status(name_at(L, 1));
  if (!status) return 0;
  lua_pushstring(L, name_of(status->kind));
  if (status->kind != FileKind::file) return 1;
  lua_pushinteger(L, static_cast<lua_Integer>(status->size));
  return 2;
}

int read_bytes(lua_State* L) {
  const lua_Integer limit = luaL_checkinteger(L, 2);
  luaL_argcheck(L, limit >= 0, 2, "must not be negative");
  push_tensor(L, tensor_of(read_packed_file(name_at(L, 1), limit), Device{}));
  return 1;
}

int file_form(lua_State* L) {
  const std::string form = form_of_file(name_at(L, 1));
  if (form.empty()) return 0;
  lua_pushlstring(L, form.data(), form.size());
  return 1;
}

int md5(lua_State* L) {
  const std::string sum = md5_of_file(name_at(L, 1));
  lua_pushlstring(L, sum.data(), sum.size());
  return 1;
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
      {"make_folders", guard<make_folders>},
      {"change_folder", guard<change_folder>},
      {"list_folder", guard<list_folder>},
      {"file_kind", guard<file_kind>},
      {"file_form", guard<file_form>},
      {"read_bytes", guard<read_bytes>},
      {"md5", guard<md5>},
      {"with_decimal_point", with_decimal_point},
  };
  return functions;
}

}  // namespace tide::bindings
