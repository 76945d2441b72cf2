// Functions for the profiler's Lua files: fields of "tide.native".profiler.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// - start(most_events): starts recording; false if a profile is already active.
/// - stop(): stops recording and returns a Trace; nil if no profile was active.
/// - is_on(): whether a profile is active. synchronize(): waits for all devices, with the reason
/// "profile".
/// - now(): nanoseconds. add_range(name, begin): a range of the script that ends now.
/// - start_tool_range(name), end_tool_range(range): a range for an attached tool (nvtx.h); no range
/// without one.
/// - close_profile(profile, error): __close of a profile: calls its method stop, despite
/// interrupts.
/// - line(): "train.lua:12", the calling line. device_name(device): a short description.
/// - cache_folder(): the folder for cached measurements of this machine; nil if none.
///
/// A Trace: summary(), rows(by), write_json(path), write_page(path, code_of(file, line)).
std::span<const luaL_Reg> profiler_functions();

/// Creates the metatable of traces in this state.
void open_trace_class(lua_State* L);

}  // namespace tide::bindings
