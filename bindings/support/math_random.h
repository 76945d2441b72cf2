// The state of Lua's random number generator.
#pragma once

#include <lua5.4/lua.hpp>
#include <optional>
#include <string>

namespace tide::bindings {

/// math_random_state(state?) of "tide.native": the state of math.random as a string, before it is
/// replaced by `state` from an earlier call. nil if the script has replaced math.random.
int math_random_state(lua_State* L, const std::optional<std::string>& given);

}  // namespace tide::bindings
