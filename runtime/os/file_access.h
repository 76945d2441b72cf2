// Which files a script may use: all, or those in two folders. Code that opens, removes or renames a
// file named by a script must check here first.
#pragma once

#include <optional>
#include <string>

namespace tide {

enum class FileUse {
  read,
  write,
  rename,  ///< to remove or rename the name itself: symbolic links are not followed
};

/// Confines this process to the two folders: it may read both and write only `scratch`. An empty
/// name: no such folder. Throws FileError if a folder cannot be found.
void confine_files(const std::string& readable, const std::string& scratch);

/// Whether `confine_files` was called.
bool files_are_confined();

/// Refuses all file access from now on: the process is exiting while its threads may still run.
void refuse_files() noexcept;

/// The path through which `path` may be accessed: `path` itself, or its canonical form if files are
/// confined. None if it is outside the folders, or is neither a regular file nor a folder.
std::optional<std::string> permitted_path(const std::string& path, FileUse use);

/// Like permitted_path, but throws FileError.
std::string require_permitted(const std::string& path, FileUse use);

}  // namespace tide
