// The functions on time.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

#include "bindings/support/function.h"

namespace tide::bindings {

/// tide.time, tide.sleep, tide.tic, tide.toc.
std::span<const Function> clock_functions();
/// tide.benchmark.
std::span<const Function> benchmark_functions();

/// tide.wait_count, tide.info: the engine's activity.
std::span<const Function> inspection_functions();

/// native.wait_report(): a list of {place, reason, count, ms}: the waits of the process so far.
int wait_report(lua_State* L);

/// Creates the metatable of benchmark runs in this state.
void open_benchmark(lua_State* L);

}  // namespace tide::bindings
