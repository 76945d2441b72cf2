// The sandbox: file access is checked where files are opened (runtime/os/file_access,
// confined_files.cpp); this file removes functions from the Lua libraries.
#include "interpreter/run/sandbox.h"

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string_view>

#include "bindings/module.h"
#include "bindings/support/embedded.h"
#include "interpreter/run/kernel_filter.h"
#include "interpreter/version.h"

namespace tide {
namespace {

namespace fs = std::filesystem;

bool active = false;

/// Raises an error; the upvalue is the function's name.
int refuse(lua_State* L) {
  return luaL_error(L, "%s: not allowed in the sandbox", lua_tostring(L, lua_upvalueindex(1)));
}

int no_environment(lua_State* L) {
  luaL_checkstring(L, 1);
  lua_pushnil(L);
  return 1;
}

/// os.tmpname(): a new file in the scratch folder.
int scratch_name(lua_State* L) {
  {
    std::string name = tide_scratch() + "/lua_XXXXXX";
    const int file = mkstemp(name.data());
    if (file >= 0) {
      close(file);
      lua_pushlstring(L, name.data(), name.size());
      return 1;
    }
  }
  return luaL_error(L, "unable to generate a unique filename");
}

/// Replaces LIBRARY.NAME with `function`, with the string "LIBRARY.NAME" as upvalue.
void replace(lua_State* L, const char* library, const char* name, lua_CFunction function) {
  lua_getglobal(L, library);
  lua_pushfstring(L, "%s.%s", library, name);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

/// Gives the library's chunks an environment with the reading functions of `debug`, unaffected by
/// changes scripts make to the basic functions.
void set_library_environment(lua_State* L) {
  lua_newtable(L);
  lua_pushglobaltable(L);
  for (lua_pushnil(L); lua_next(L, -2);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -5);
  }
  lua_newtable(L);
  lua_getglobal(L, "debug");
  for (const char* name : {"getinfo", "getlocal", "getupvalue", "getmetatable", "traceback"}) {
    lua_getfield(L, -1, name);
    lua_setfield(L, -3, name);
  }
  lua_pop(L, 1);
  lua_setfield(L, -3, "debug");
  lua_newtable(L);
  for (const char* event : {"__index", "__newindex"}) {
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, event);
  }
  lua_setmetatable(L, -3);
  lua_pop(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, kLibraryEnvironment);
}

/// Keeps only debug.traceback: the other functions give access to the program's functions and
/// metatables.
void reduce_debug(lua_State* L) {
  lua_getglobal(L, "debug");
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    if (std::string_view(lua_tostring(L, -2)) == "traceback") continue;
    lua_pushvalue(L, -2);
    lua_pushnil(L);
    lua_rawset(L, -5);
  }
  lua_pop(L, 1);
}

/// Keeps the searchers for preloaded modules, the library's modules, and Lua files in the folder.
void reduce_package(lua_State* L, const std::string& folder) {
  constexpr lua_Integer kSearchers = 3;
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "searchers");
  for (lua_Integer i = luaL_len(L, -1); i > kSearchers; --i) {
    lua_pushnil(L);
    lua_seti(L, -2, i);
  }
  lua_pop(L, 1);
  if (folder.empty())
    lua_pushliteral(L, "");
  else
    lua_pushfstring(L, "%s/?.lua;%s/?/init.lua", folder.c_str(), folder.c_str());
  lua_setfield(L, -2, "path");
  lua_pushliteral(L, "");
  lua_setfield(L, -2, "cpath");
  lua_pop(L, 1);
}

}  // namespace

void begin_sandbox(const std::string& folder) {
  tide_confine_files(folder);
  tide_forbid_threads();
  active = true;
  const std::string lacking = install_kernel_filters({folder, tide_plugin_folder()},
                                                     {tide_scratch(), tide_kernel_cache_folder()});
  if (!lacking.empty()) std::fprintf(stderr, "%s: sandbox: %s\n", program_name, lacking.c_str());
}

bool in_sandbox() { return active; }

std::string folder_of(const std::string& script) {
  return script.empty() ? script
                        : fs::weakly_canonical(fs::absolute(script)).parent_path().string();
}

void close_libraries(lua_State* L, const std::string& folder) {
  set_library_environment(L);
  reduce_debug(L);
  reduce_package(L, folder);
  for (const auto& [library, name] :
       {std::pair{"os", "execute"}, {"io", "popen"}, {"package", "loadlib"}})
    replace(L, library, name, refuse);
  replace(L, "os", "getenv", no_environment);
  replace(L, "os", "tmpname", scratch_name);
}

}  // namespace tide
