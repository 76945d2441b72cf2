// The prompt: reads, runs and prints, until Ctrl-D.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide {

/// Runs the prompt on `L` until the input ends. Errors are printed and leave the state intact.
void run_prompt(lua_State* L);

}  // namespace tide
