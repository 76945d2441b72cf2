// Folders: what is in them, and how they are made. Each path is asked for in core/file_access
// first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tide {

enum class FileKind { file, folder, other };

/// "file", "folder" or "other".
const char* name_of(FileKind kind);

struct FileStatus {
  FileKind kind = FileKind::other;
  uint64_t size = 0;  ///< of a file, in bytes
};

struct FolderEntry {
  std::string name;
  FileKind kind;  ///< a link has the kind of what it leads to; `other` if that may not be read
};

/// What a path leads to; none if nothing is there. Throws FileError.
std::optional<FileStatus> file_status(const std::string& path);

/// What is in a folder, sorted by the bytes of the names, without "." and "..". Throws FileError.
std::vector<FolderEntry> list_folder(const std::string& path);

/// Makes a folder and those above it that are missing. False if it was there before: of several
/// processes that make the same one, a single one gets true. Throws FileError.
bool make_folders(const std::string& path);

/// Makes a folder the working one of the process. Throws FileError.
void change_folder(const std::string& path);

}  // namespace tide
