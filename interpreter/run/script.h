// Runs chunks of Lua: files, texts and standard input, with errors as a reader wants them.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>
#include <string_view>

namespace tide {

/// Calls the function below its `arguments` on the stack; Ctrl-C stops it. On failure the error
/// with its traceback is left there as a string, and false returned.
bool call(lua_State* L, int arguments, int results);

/// Pushes the function of the library whose text this is. Its frame is called `name`, and
/// tracebacks leave it out.
void push_library_function(lua_State* L, std::string_view text, std::string_view name);

/// Keeps a text that is run and is no file, so that errors can be explained by its lines.
void keep_text(lua_State* L, const std::string& chunk_name, std::string_view text, int first_line);

/// Adds to the message of a syntax error on the stack what the slip may be written as in Lua. The
/// text is the file's that the chunk is named after, or was kept.
void describe_syntax_error(lua_State* L, const std::string& chunk_name);

/// Takes the error off the stack and prints it to stderr, headed "tide: ".
void report_error(lua_State* L);

/// Runs a file, or standard input if `path` is null. Prints the error if there is one, and returns
/// whether there was none.
bool run_file(lua_State* L, const char* path);

/// As run_file, with the global `arg`'s list as `...`.
bool run_script(lua_State* L, const char* path);

/// Runs a text under a chunk name such as "=(command line)" or "@lessons/01_devices.lua".
bool run_text(lua_State* L, std::string_view text, const std::string& chunk_name);

/// `-l name` or `-l global=name`: requires a module into a global of its name.
bool require_module(lua_State* L, const std::string& specification);

}  // namespace tide
