// Sees when files change, for `tide test --watch`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tide {

/// Files by their paths, with the time of their last change and their size.
using FileStates =
    std::map<std::string, std::pair<std::filesystem::file_time_type, std::uintmax_t>>;

/// The present state of files and of all files below folders, but for hidden ones and editors'
/// copies (NAME~). A path that is not there is left out.
FileStates look_at(const std::vector<std::string>& paths);

/// Waits until a state differs from `known` and no longer changes; returns a path that differs.
std::string wait_for_change(const std::vector<std::string>& paths, const FileStates& known);

}  // namespace tide
