// The folder for a script's temporary files.
#pragma once

#include <string>

namespace tide::bindings {

/// The folder's path. A temporary one is created on the first call, and removed when the process
/// ends. Throws FileError.
const std::string& scratch_folder();

/// Uses a folder of the user, which is kept. Must precede the first call of scratch_folder.
void use_scratch_folder(const std::string& path);

/// Removes the folder created by scratch_folder, for a process about to end: no file may be used
/// afterwards. Can be called from any thread.
void remove_scratch_folder() noexcept;

}  // namespace tide::bindings
