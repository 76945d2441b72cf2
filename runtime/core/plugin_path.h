// Where the libraries lie that tide opens only when they are first needed.
#pragma once

#include <string>

namespace tide {

/// The path of the plugin `file_name` ("tide-dnnl.so"): in the folder that TIDE_PLUGIN_PATH
/// names, else beside the file that holds this code (the program, or the Lua module), else in
/// lib/tide or ../lib/tide seen from there, else where the program's run path points, as that of a
/// C++ program linked with libtide does. If it is in none of them, the name alone, which dlopen
/// then names in its error.
std::string plugin_path(const char* file_name);

/// Opens the plugin for good and returns the address of its function `entry`. One that is missing
/// beside a program in its build folder is built first, which can take a minute and is said on
/// stderr. Throws InternalError, with what to do about it, if there is no plugin after all, or none
/// with such a function.
void* plugin_entry(const char* file_name, const char* entry);

}  // namespace tide
