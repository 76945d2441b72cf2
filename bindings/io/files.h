// Functions on files and folders for the library's own Lua files.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// Fields of "tide.native":
/// - make_folders(path): makes a folder and those above it; false if it was there before.
/// - list_folder(path): two lists, the names in it, sorted by their bytes, and their kinds: "file",
///   "folder" or "other". A link has the kind of what it leads to.
/// - file_kind(path): the kind, and of a file its size; nil if nothing is there.
/// They raise what goes wrong with the path in front, and obey the sandbox.
std::span<const luaL_Reg> file_functions();

}  // namespace tide::bindings
