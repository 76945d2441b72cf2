// The folder for a script's temporary files.
#pragma once

#include <string>

namespace tide::bindings {

/// The folder's path. A temporary one is made on the first call, and removed when the process ends.
/// Throws FileError.
const std::string& scratch_folder();

/// Takes a folder of the user's, which stays. Before the first call of scratch_folder.
void use_scratch_folder(const std::string& path);

/// Removes the folder that scratch_folder made, for a process that ends at once: no file may be
/// used from then on. From any thread.
void remove_scratch_folder() noexcept;

}  // namespace tide::bindings
