// Folders: listing and creation. Each path is first checked by os/file_access.
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
  FileKind kind;  ///< of a link, that of its target; `other` if that may not be read
};

/// The status of a path's target; none if it does not exist. Throws FileError.
std::optional<FileStatus> file_status(const std::string& path);

/// The entries of a folder, sorted bytewise by name, without "." and "..". Throws FileError.
std::vector<FolderEntry> list_folder(const std::string& path);

/// Creates a folder and its missing parents. False if it already existed: if several processes
/// create the same one, only one gets true. Throws FileError.
bool make_folders(const std::string& path);

/// Changes the working folder of the process. Throws FileError.
void change_folder(const std::string& path);

}  // namespace tide
