// The sandbox for untrusted scripts.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>

namespace tide {

/// Restricts scripts to reading files in the script's folder (none if empty) and using the scratch
/// folder. Must be called before creating a State. Throws std::exception.
void begin_sandbox(const std::string& folder);

/// Whether begin_sandbox was called.
bool in_sandbox();

/// The folder of a script's file with symbolic links resolved. Empty for an empty name.
std::string folder_of(const std::string& script);

/// Removes from the libraries what is not allowed in the sandbox: processes, the environment, C
/// modules, and `debug` except traceback. Modules are loaded from `folder`. Call it in protected
/// mode.
void close_libraries(lua_State* L, const std::string& folder);

}  // namespace tide
