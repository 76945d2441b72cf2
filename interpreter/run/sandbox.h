// A script that need not be trusted: what it reaches of the machine.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>

namespace tide {

/// Closes the process's files to scripts, but for those of the script's folder, which is read, and
/// of the scratch folder. Empty: no script's folder. Before a State. Throws std::exception.
void begin_sandbox(const std::string& folder);

/// Whether begin_sandbox was called.
bool in_sandbox();

/// The folder of a script for begin_sandbox: of its file, without links. Empty for an empty name.
std::string folder_of(const std::string& script);

/// Takes from the libraries what begin_sandbox's scripts may not use: processes, the environment, C
/// modules, `debug` but for traceback. Modules are found in `folder`. In a protected call.
void close_libraries(lua_State* L, const std::string& folder);

}  // namespace tide
