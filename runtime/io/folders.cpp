// Folders through system calls.
#include "runtime/io/folders.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "runtime/io/byte_file.h"
#include "runtime/os/file_access.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

namespace fs = std::filesystem;

FileKind kind_of(fs::file_type type) {
  if (type == fs::file_type::regular) return FileKind::file;
  return type == fs::file_type::directory ? FileKind::folder : FileKind::other;
}

FileKind kind_of(const fs::directory_entry& entry) {
  std::error_code error;
  if (entry.is_symlink(error) && !permitted_path(entry.path(), FileUse::read))
    return FileKind::other;
  return kind_of(entry.status(error).type());
}

bool is_folder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// True if the folder was created, false if it existed.
bool make_folder(const std::string& path, const std::string& whole) {
  const std::string place = require_permitted(path, FileUse::write);
  if (mkdir(place.c_str(), 0777) == 0) return true;
  const int error = errno;
  if (error == EEXIST && is_folder(place)) return false;
  throw_file_error(
      whole, std::string("cannot be made: ") + std::strerror(error == EEXIST ? ENOTDIR : error));
}

}  // namespace

const char* name_of(FileKind kind) {
  if (kind == FileKind::file) return "file";
  return kind == FileKind::folder ? "folder" : "other";
}

std::optional<FileStatus> file_status(const std::string& path) {
  struct stat status;
  if (stat(require_permitted(path, FileUse::read).c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw_file_error(path, std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) return FileStatus{FileKind::folder, 0};
  if (!S_ISREG(status.st_mode)) return FileStatus{FileKind::other, 0};
  return FileStatus{FileKind::file, static_cast<uint64_t>(status.st_size)};
}

std::vector<FolderEntry> list_folder(const std::string& path) {
  std::error_code error;
  std::vector<FolderEntry> entries;
  fs::directory_iterator at(require_permitted(path, FileUse::read), error);
  for (; !error && at != fs::directory_iterator(); at.increment(error))
    entries.push_back({at->path().filename(), kind_of(*at)});
  if (error) throw_file_error(path, "cannot be listed: " + error.message());
  std::ranges::sort(entries, {}, &FolderEntry::name);
  return entries;
}

bool make_folders(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos)
    throw FileError("expected the name of a folder, got " +
                    std::string(path.empty() ? "an empty string" : "a zero byte in it"));
  const size_t last = path.find_last_not_of('/');
  const std::string folder = last == std::string::npos ? "/" : path.substr(0, last + 1);
  if (permitted_path(folder, FileUse::read) && is_folder(folder)) return false;
  require_permitted(folder, FileUse::write);
  // From the top, so that each name is checked when its parent exists.
  for (size_t end = folder.find('/', 1); end != std::string::npos;
       end = folder.find('/', end + 1)) {
    const std::string above = folder.substr(0, end);
    if (!is_folder(above)) make_folder(above, path);
  }
  return make_folder(folder, path);
}

void change_folder(const std::string& path) {
  if (chdir(require_permitted(path, FileUse::read).c_str()) != 0)
    throw_file_error(path, std::strerror(errno));
}

}  // namespace tide
