// Detects changed files, for `tide test --watch`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tide {

/// The last modification time and size of files by path.
using FileStates =
    std::map<std::string, std::pair<std::filesystem::file_time_type, std::uintmax_t>>;

/// The current state of files, and of all files below folders except hidden ones and editors'
/// backups (NAME~). Skips paths that do not exist.
FileStates look_at(const std::vector<std::string>& paths);

/// Waits until a state differs from `known` and no longer changes; returns a path that differs.
std::string wait_for_change(const std::vector<std::string>& paths, const FileStates& known);

}  // namespace tide
