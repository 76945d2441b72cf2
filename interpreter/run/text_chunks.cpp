// Loads only source text: a precompiled chunk can crash the virtual machine. The linker redirects
// every lua_load of the program (load, loadfile, dofile, require) to this file
// (-Wl,--wrap=lua_load). Functions sent between threads are exempt: they are chunks of this
// process.
#include "interpreter/run/text_chunks.h"

#include <cstring>
#include <lua5.4/lua.hpp>
#include <string_view>

#include "bindings/module.h"

extern "C" int __real_lua_load(lua_State* L, lua_Reader reader, void* data, const char* name,
                               const char* mode);

namespace {

bool binary_chunks_allowed = false;

/// Whether the error on the stack is `message`, Lua's error for a chunk that the mode excludes.
bool refuses(lua_State* L, std::string_view message) {
  const char* text = lua_tostring(L, -1);
  return text && text == message;
}

}  // namespace

void tide::allow_binary_chunks() { binary_chunks_allowed = true; }

/// Like lua_load, but accepts only text chunks.
extern "C" int __wrap_lua_load(lua_State* L, lua_Reader reader, void* data, const char* name,
                               const char* mode) {
  const bool text = !mode || std::strchr(mode, 't');
  const bool binary = !mode || std::strchr(mode, 'b');
  if (binary_chunks_allowed || !binary || tide_loads_own_chunk())
    return __real_lua_load(L, reader, data, name, mode);
  const int status = __real_lua_load(L, reader, data, name, text ? "t" : "");
  if (status != LUA_ERRSYNTAX) return status;
  // Lua's message names the mode passed here; restore the caller's.
  if (refuses(L, text ? "attempt to load a binary chunk (mode is 't')"
                      : "attempt to load a binary chunk (mode is '')")) {
    lua_pop(L, 1);
    lua_pushliteral(L, "attempt to load a binary chunk: use tide --binary-chunks to allow them");
  } else if (refuses(L, "attempt to load a text chunk (mode is '')")) {
    lua_pop(L, 1);
    lua_pushfstring(L, "attempt to load a text chunk (mode is '%s')", mode);
  }
  return status;
}
