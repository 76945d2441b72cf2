// Writes text files by atomic replacement, and reads embedded files.
#include "bindings/support/text_file.h"

#include "bindings/support/embedded.h"
#include "bindings/support/fields.h"
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
  push_list(L, list_scripts(luaL_checkstring(L, 1)),
            [L](const std::string& path) { push_field(L, path); });
  return 1;
}

int find_in_embedded(lua_State* L) {
  push_list(L, find_in_scripts(luaL_checkstring(L, 1), luaL_checkstring(L, 2)),
            [L](const std::string& path) { push_field(L, path); });
  return 1;
}

}  // namespace bindings
}  // namespace tide
