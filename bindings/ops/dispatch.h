// The runtime's ops as Lua functions.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// The namespace of an op in scripts.
enum class OpScope { method, in_place, function, functional, linalg, special };

/// Adds all ops of a scope to the table on top of the stack. Rows with the same name and scope
/// become one function, which tries them in order.
void register_ops(lua_State* L, OpScope scope);

}  // namespace tide::bindings
