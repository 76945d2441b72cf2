// Functions for tide.explain: fields of "tide.native".explain.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// - capture(): a Capture, closable. capture:windows() flushes recorded ops, returns a list of
/// windows, and ends the capture.
/// - recorded(x): the current window of x's device, nil if it is empty; and the state of x:
///   "recorded", "recomputable", "stored" or "failed".
/// - program(loop), ir(loop), asm(loop), ptx(loop, capability): a loop as text.
/// - launch(loop, device): the fields of launch_fields.h; nil if the device is not a GPU.
///
/// A window: {device =, cause =, file =, line =, ops = count, steps =, notes =}. A step: {kind =
/// "loop", "compute" or "copy", ops =, shape =, row =, part = "blocks" or "combine",
/// unless_reused = whether it is skipped if its result reuses the storage, reads =, writes =,
/// bytes =, flops =, loop =}. A value: {number =, name =, file =, line =, shape =, dtype =,
/// kept =}. A note: {step =, other =, op =, file =, line =, reason =}.
std::span<const luaL_Reg> explain_functions();

/// Creates the metatables of captures and loops in this state.
void open_explain_classes(lua_State* L);

}  // namespace tide::bindings
