// Which tide this is, and how it was called.
#pragma once

#include <cstdio>
#include <lua5.4/lua.hpp>

namespace tide {

#define TIDE_LUA_VERSION LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE

/// "tide 0.1.0 (Lua 5.4.4)"; the number comes from the build.
inline constexpr char kVersion[] = "tide " TIDE_VERSION " (Lua " TIDE_LUA_VERSION ")";

/// The program as it was called: it heads messages, and scripts find it in `arg`. Set by main.
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
