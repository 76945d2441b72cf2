// Zip archives and entire files, for scripts/tide/load_torch and save_torch.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// Fields of the table `archives` of "tide.native".
std::span<const luaL_Reg> archive_functions();

/// Creates the metatable of archives in this state.
void open_archive_class(lua_State* L);

}  // namespace tide::bindings
