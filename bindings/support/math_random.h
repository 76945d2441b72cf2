// The state of Lua's own generator of random numbers.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// math_random_state(state?) of "tide.native": the state of math.random as a string, before it is
/// replaced by `state`, which an earlier call gave. nil where the script put another function in
/// the place of math.random.
int math_random_state(lua_State* L);

}  // namespace tide::bindings
