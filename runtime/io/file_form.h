// Identifies files that are not of the expected format.
#pragma once

#include <string>

namespace tide {

/// What a file seems to be by its first bytes, and how to read it: "an HDF5 file". Empty if that is
/// not known, or the file cannot be read.
std::string form_of_file(const std::string& path);

/// Throws FileError: "PATH: is not WANTED: it is an HDF5 file".
[[noreturn]] void throw_wrong_form(const std::string& path, const std::string& wanted);

}  // namespace tide
