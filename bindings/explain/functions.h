// What tide.explain uses: fields of "tide.native".explain.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// - capture(): a Capture, closable. capture:windows() flushes what is recorded and gives a list of
///   windows, after which it captures no more.
/// - recorded(x): the window of x's device as it is now, nil if it is empty; and the state of x:
///   "recorded", "recomputable", "stored" or "failed".
/// - program(loop), ir(loop), asm(loop), ptx(loop, capability): a loop as text.
/// - launch(loop, device): the fields of launch_fields.h; nil if the device is not a GPU.
///
/// A window: {device =, cause =, file =, line =, ops = count, steps =, notes =}. A step: {kind =
/// "loop", "compute" or "copy", ops =, shape =, row =, part = "blocks" or "combine",
/// unless_reused = whether it falls away if its result takes over the old value, reads =, writes =,
/// bytes =, flops =, loop =}. A value: {number =, name =, file =, line =, shape =, dtype =,
/// kept =}. A note: {step =, other =, op =, file =, line =, reason =}.
std::span<const luaL_Reg> explain_functions();

/// Makes the classes of captures and loops in this state.
void open_explain_classes(lua_State* L);

}  // namespace tide::bindings
