// Lets only source text in: a precompiled chunk can crash the virtual machine. The linker sends
// every lua_load of the program (load, loadfile, dofile, require) through here
// (-Wl,--wrap=lua_load). Functions on their way between threads are chunks of this process.
#include "interpreter/run/text_chunks.h"

#include <cstring>
#include <lua5.4/lua.hpp>
#include <string_view>

#include "bindings/module.h"

extern "C" int __real_lua_load(lua_State* L, lua_Reader reader, void* data, const char* name,
                               const char* mode);

namespace {

bool binary_chunks_allowed = false;

/// Whether the message on the stack is Lua's own on a chunk of a kind that the mode excludes.
bool refuses(lua_State* L, std::string_view message) {
  const char* text = lua_tostring(L, -1);
  return text && text == message;
}

}  // namespace

void tide::allow_binary_chunks() { binary_chunks_allowed = true; }

/// As lua_load, with text as the only kind of chunk.
extern "C" int __wrap_lua_load(lua_State* L, lua_Reader reader, void* data, const char* name,
                               const char* mode) {
  const bool text = !mode || std::strchr(mode, 't');
  const bool binary = !mode || std::strchr(mode, 'b');
  if (binary_chunks_allowed || !binary || tide_loads_own_chunk())
    return __real_lua_load(L, reader, data, name, mode);
  const int status = __real_lua_load(L, reader, data, name, text ? "t" : "");
  if (status != LUA_ERRSYNTAX) return status;
  // What Lua says of the mode is true of the caller's mode only if that excludes the chunk.
  if (refuses(L, text ? "attempt to load a binary chunk (mode is 't')"
                      : "attempt to load a binary chunk (mode is '')")) {
    lua_pop(L, 1);
    lua_pushliteral(L, "attempt to load a binary chunk: tide --binary-chunks allows them");
  } else if (refuses(L, "attempt to load a text chunk (mode is '')")) {
    lua_pop(L, 1);
    lua_pushfstring(L, "attempt to load a text chunk (mode is '%s')", mode);
  }
  return status;
}
