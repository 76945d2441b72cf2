// The launch configuration of a GPU kernel as fields of a Lua table.
#pragma once

#include <lua5.4/lua.hpp>
#include <utility>

#include "runtime/profile/kernel_launch.h"

namespace tide::bindings {

/// Sets blocks, threads, registers, shared_bytes, loops, use and occupancy of the table on top of
/// the stack.
inline void set_launch_fields(lua_State* L, const profile::KernelLaunch& launch) {
  const std::pair<const char*, lua_Integer> integers[] = {{"blocks", launch.blocks},
                                                          {"threads", launch.threads},
                                                          {"registers", launch.registers},
                                                          {"shared_bytes", launch.shared_bytes},
                                                          {"loops", launch.loops}};
  for (const auto& [name, value] : integers) {
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
  }
  lua_pushnumber(L, launch.use());
  lua_setfield(L, -2, "use");
  lua_pushnumber(L, launch.occupancy());
  lua_setfield(L, -2, "occupancy");
}

}  // namespace tide::bindings
