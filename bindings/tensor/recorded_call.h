// Calls whose ops are recorded once, and then again without the script.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// Fields of "tide.native":
/// - record_call(inputs): starts to record what computes outputs from the inputs, a list of
///   tensors; nil if gradients, autocast, eager mode or anomaly detection are on. The result must
///   be closed. Its method finish(outputs) returns the recorded call, or nil if the outputs do not
///   follow from the inputs by ops alone. A recorded call's method run(inputs) returns a list of
///   new outputs, or nil if the inputs differ in more than their elements, or a setting has
///   changed.
std::span<const luaL_Reg> recorded_call_functions();

/// Creates the metatables of the two classes.
void open_recorded_call_classes(lua_State* L);

}  // namespace tide::bindings
