// Writes text files for the program and the Lua library, and reads embedded files.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>
#include <string_view>

namespace tide {

/// Replaces the file at `path` atomically: an error leaves the old one intact. Other than regular
/// files are written directly. Throws a std::exception that names the path.
void write_text_file(const std::string& path, std::string_view text);

namespace bindings {

/// write_file(path, text) of "tide.native".
int write_file(lua_State* L);

/// read_embedded(path): the text of an embedded file, nothing if it does not exist.
int read_embedded(lua_State* L);

/// list_embedded(prefix): the sorted paths that begin with `prefix`.
int list_embedded(lua_State* L);

/// find_in_embedded(folder, text): the sorted paths of the folder's files that contain `text`.
int find_in_embedded(lua_State* L);

}  // namespace bindings
}  // namespace tide
