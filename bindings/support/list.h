// Lists and records that print their contents and compare by fields. Otherwise they are plain
// tables: getmetatable returns false, so that they are not mistaken for objects.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// Creates the metatable. Called when the module is opened.
void open_list(lua_State* L);

/// Pushes the metatable, for tables created by the library: tide.native.list.
void push_list_metatable(lua_State* L);

/// Sets the metatable of the table on top of the stack.
void make_list(lua_State* L);

}  // namespace tide::bindings
