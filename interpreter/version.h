// Which tide this is.
#pragma once

#include <cstdio>
#include <lua5.4/lua.hpp>

namespace tide {

/// "tide 0.1.0 (Lua 5.4.4)"; the number comes from the build.
inline constexpr char kVersion[] = "tide " TIDE_VERSION " (Lua " LUA_VERSION_MAJOR
                                   "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE ")";

inline void print_version() {
  std::puts(kVersion);
  std::fflush(stdout);
}

}  // namespace tide
