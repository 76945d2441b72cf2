// Text files, by the runtime's way of replacing files.
#include "bindings/support/text_file.h"

#include "runtime/core/file_replacement.h"

namespace tide {

void write_text_file(const std::string& path, std::string_view text) { replace_file(path, text); }

namespace bindings {

int write_file(lua_State* L) {
  size_t size;
  const char* const text = luaL_checklstring(L, 2, &size);
  replace_file(luaL_checkstring(L, 1), {text, size});
  return 0;
}

}  // namespace bindings
}  // namespace tide
