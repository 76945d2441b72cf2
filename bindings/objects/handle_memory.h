// Memory of tensor handles (userdata): a handle is destroyed when Lua frees its memory.
// A __gc metamethod would work too but is slow: Lua keeps such objects in a separate list,
// resurrects each for a protected call, and frees it one collection later, a sixth of the time of
// an op. Tensors do not need it, because destroying one never calls Lua.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// Allocates the handles of this state in a separate range; the state's allocator still serves
/// everything else.
void open_handle_memory(lua_State* L);

}  // namespace tide::bindings
