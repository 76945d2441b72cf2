// Lets only source text in: a precompiled chunk can crash the virtual machine. The linker sends
// every lua_load of the program (load, loadfile, dofile, require) through here
// (-Wl,--wrap=lua_load).
#include <cstring>
#include <lua5.4/lua.hpp>

extern "C" int __real_lua_load(lua_State* L, lua_Reader reader, void* data, const char* name,
                               const char* mode);

/// As lua_load, with text as the only kind of chunk. Mode "b" admits nothing.
extern "C" int __wrap_lua_load(lua_State* L, lua_Reader reader, void* data, const char* name,
                               const char* mode) {
  const bool text_allowed = !mode || std::strchr(mode, 't');
  return __real_lua_load(L, reader, data, name, text_allowed ? "t" : "");
}
