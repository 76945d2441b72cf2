// Functions on images and entire files for the library's Lua files.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// Fields of the table `images` of "tide.native".
std::span<const luaL_Reg> image_functions();

}  // namespace tide::bindings
