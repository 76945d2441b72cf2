// Writes text files for the program and the Lua library.
#pragma once

#include <string>
#include <string_view>

namespace tide {

/// Replaces the file at `path` atomically: an error leaves the old one intact. Other than regular
/// files are written directly. Throws a std::exception that names the path.
void write_text_file(const std::string& path, std::string_view text);

}  // namespace tide
