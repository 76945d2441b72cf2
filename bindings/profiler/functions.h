// What the profiler's Lua files use: fields of "tide.native".profiler.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// - start(most_events): begins to record; false if a profile is under way already.
/// - stop(): ends that and returns a Trace; nil if none was under way.
/// - is_on(): whether a profile is under way. synchronize(): waits for all devices, for the reason
///   "profile".
/// - now(): nanoseconds. add_range(name, begin): a range of the script that ends now.
/// - start_tool_range(name), end_tool_range(range): the same for a tool that is attached (nvtx.h);
/// no range without one.
/// - close_profile(profile, error): __close of a profile: calls its method stop, whatever
/// interrupts.
/// - line(): "train.lua:12", the line that called. device_name(device): what it is, in a few words.
/// - cache_folder(): where what was found out about this machine is kept; nil if nowhere.
///
/// A Trace: summary(), rows(by), write_json(path), write_page(path, code_of(file, line)).
std::span<const luaL_Reg> profiler_functions();

/// Makes the class of traces in this state.
void open_trace_class(lua_State* L);

}  // namespace tide::bindings
