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

/// tide.wait_count, tide.info: what the engine did.
std::span<const Function> inspection_functions();

/// native.wait_report(): a list of {place, reason, count, ms}: where the process has waited so far.
int wait_report(lua_State* L);

/// Makes the class of a benchmark's run in this state.
void open_benchmark(lua_State* L);

}  // namespace tide::bindings
