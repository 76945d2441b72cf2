// Memory of the userdata that are handles of tensors: a handle ends when Lua frees its memory.
//
// A __gc metamethod would do, at a price: Lua keeps such objects in a list of their own, revives
// each that dies for a protected call, and frees it a collection later. That is a sixth of what an
// op costs. Tensors need none of it, as nothing they end calls Lua.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// Puts handles of this state into memory of their own: the state's allocator keeps serving
/// everything else.
void open_handle_memory(lua_State* L);

}  // namespace tide::bindings
