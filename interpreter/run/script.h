// Runs Lua chunks from files, strings and standard input, and formats their errors.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>
#include <string_view>

namespace tide {

/// Calls the function below its `arguments` on the stack; Ctrl-C stops it. On failure, pushes the
/// error with its traceback as a string and returns false.
bool call(lua_State* L, int arguments, int results);

/// Compiles `text` as a library function and pushes it. Its chunk is called `name`, and tracebacks
/// omit it.
void push_library_function(lua_State* L, std::string_view text, std::string_view name);

/// Keeps a text that does not come from a file, so that error messages can refer to its lines.
void keep_text(lua_State* L, const std::string& chunk_name, std::string_view text, int first_line);

/// Adds a hint to the syntax error on the stack if it is a common mistake. The source is read from
/// the file in the chunk name, or was passed to keep_text.
void describe_syntax_error(lua_State* L, const std::string& chunk_name);

/// Pops an error and prints it to stderr with the prefix "tide: ".
void report_error(lua_State* L);

/// Runs a file, or standard input if `path` is null. Prints the error and returns false if it
/// fails.
bool run_file(lua_State* L, const char* path);

/// Like run_file, with the elements of the global `arg` as `...`.
bool run_script(lua_State* L, const char* path);

/// Runs a text under a chunk name such as "=(command line)" or "@lessons/01_devices.lua".
bool run_text(lua_State* L, std::string_view text, const std::string& chunk_name);

/// `-l name` or `-l global=name`: requires a module and assigns it to a global.
bool require_module(lua_State* L, const std::string& specification);

}  // namespace tide
