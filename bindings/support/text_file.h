// Writes text files for the program and the Lua library, and reads those inside the program.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>
#include <string_view>

namespace tide {

/// Replaces the file at `path` at once: what goes wrong leaves the old one. What is no regular file
/// is written to. Throws an std::exception that names the path.
void write_text_file(const std::string& path, std::string_view text);

namespace bindings {

/// write_file(path, text) of "tide.native".
int write_file(lua_State* L);

/// read_embedded(path): the text of a file inside the program, nothing if there is none.
int read_embedded(lua_State* L);

/// list_embedded(prefix): the sorted paths that begin so.
int list_embedded(lua_State* L);

}  // namespace bindings
}  // namespace tide
