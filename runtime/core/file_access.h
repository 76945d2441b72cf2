// Which files a script may name: all, or those of two folders. Whoever opens, removes or renames a
// file that a script names asks here first.
#pragma once

#include <optional>
#include <string>

namespace tide {

enum class FileUse {
  read,
  write,
  rename,  ///< the name itself, to be removed or renamed: a link is not followed
};

/// From now on this process reads both folders and their files only, and writes those of `scratch`
/// only. An empty name: no such folder. Throws FileError if a folder cannot be found.
void confine_files(const std::string& readable, const std::string& scratch);

/// Whether they are.
bool files_are_confined();

/// From now on no file may be used: the process ends, whatever its threads still do.
void refuse_files() noexcept;

/// The path by which `path` may be used: itself, or without links and ".." where files are
/// confined. None if it lies outside, or is neither a regular file nor a folder.
std::optional<std::string> permitted_path(const std::string& path, FileUse use);

/// As permitted_path; throws FileError.
std::string require_permitted(const std::string& path, FileUse use);

}  // namespace tide
