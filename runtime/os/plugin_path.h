// Locates the libraries that tide opens only when they are first needed.
#pragma once

#include <string>

namespace tide {

/// The path of the plugin `file_name` ("tide-dnnl.so"). Searched in this order: the folder that
/// TIDE_PLUGIN_PATH names; the folder of the file that contains this code (the program, or the Lua
/// module); lib/tide and ../lib/tide relative to that; the run path of the program, as of a C++
/// program linked with libtide. If it is not found, the bare name, which dlopen then mentions in
/// its error.
std::string plugin_path(const char* file_name);

/// Opens the plugin permanently and returns the address of its function `entry`. A plugin that is
/// missing in a build folder is built first, which can take a minute and is reported on stderr.
/// Throws InternalError, with advice, if the plugin cannot be opened or has no such function.
void* plugin_entry(const char* file_name, const char* entry);

}  // namespace tide
