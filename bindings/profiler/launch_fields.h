// The launch configuration of a GPU kernel as fields of a Lua table.
#pragma once

#include <lua5.4/lua.hpp>

#include "bindings/support/fields.h"
#include "runtime/profile/kernel_launch.h"

namespace tide::bindings {

/// Sets blocks, threads, registers, shared_bytes, loops, use and occupancy of the table on top of
/// the stack.
inline void set_launch_fields(lua_State* L, const profile::KernelLaunch& launch) {
  set_field(L, "blocks", launch.blocks);
  set_field(L, "threads", launch.threads);
  set_field(L, "registers", launch.registers);
  set_field(L, "shared_bytes", launch.shared_bytes);
  set_field(L, "loops", launch.loops);
  set_field(L, "use", launch.use());
  set_field(L, "occupancy", launch.occupancy());
}

}  // namespace tide::bindings
