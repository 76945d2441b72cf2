// The repository's files, for the tests of the tree and its documents.
#pragma once

#include <filesystem>
#include <string>

namespace test {

inline const std::filesystem::path kRoot = std::filesystem::path(TIDE_TESTS).parent_path();

/// A file's path below the root.
inline std::string name_of(const std::filesystem::path& file) {
  return file.lexically_relative(kRoot).string();
}

/// Whether a file or folder, named so, is the folder or lies below it.
inline bool lies_in(const std::string& name, const std::string& folder) {
  return name == folder || name.starts_with(folder + "/");
}

}  // namespace test
