// Lists and records that show what they hold when they are printed, and are equal by their fields.
// They are plain tables otherwise: getmetatable gives false, so that nothing takes them for
// objects.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// Makes the metatable; when the module is opened.
void open_list(lua_State* L);

/// For tables that the library makes: tide.native.list.
void push_list_metatable(lua_State* L);

/// Gives the table on top of the stack the metatable.
void make_list(lua_State* L);

}  // namespace tide::bindings
