// Writes text files by atomic replacement, and reads embedded files.
#include "bindings/support/text_file.h"

#include "bindings/support/embedded.h"
#include "runtime/os/file_replacement.h"

namespace tide {

void write_text_file(const std::string& path, std::string_view text) { replace_file(path, text); }

namespace bindings {

int write_file(lua_State* L) {
  size_t size;
  const char* const text = luaL_checklstring(L, 2, &size);
  replace_file(luaL_checkstring(L, 1), {text, size});
  return 0;
}

int read_embedded(lua_State* L) {
  const auto text = read_script(luaL_checkstring(L, 1));
  if (!text) return 0;
  lua_pushlstring(L, text->data(), text->size());
  return 1;
}

int list_embedded(lua_State* L) {
  const std::vector<std::string> paths = list_scripts(luaL_checkstring(L, 1));
  lua_createtable(L, static_cast<int>(paths.size()), 0);
  for (size_t i = 0; i < paths.size(); ++i) {
    lua_pushlstring(L, paths[i].data(), paths[i].size());
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

}  // namespace bindings
}  // namespace tide
