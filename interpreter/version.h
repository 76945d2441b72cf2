// The version of tide, and the name it was called by.
#pragma once

#include <cstdio>
#include <lua5.4/lua.hpp>

namespace tide {

#define TIDE_LUA_VERSION LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE

/// "tide 0.1.0 (Lua 5.4.4)"; the version comes from the build.
inline constexpr char kVersion[] = "tide " TIDE_VERSION " (Lua " TIDE_LUA_VERSION ")";

/// The program's name as called: a prefix of messages, and available to scripts in `arg`. Set by
/// main.
inline const char* program_name = "tide";

inline void print_version() {
  std::puts(kVersion);
  std::fflush(stdout);
}

/// Lua's own line, as `lua -v` prints it.
inline void print_copyright() {
  std::puts(LUA_COPYRIGHT);
  std::fflush(stdout);
}

}  // namespace tide
