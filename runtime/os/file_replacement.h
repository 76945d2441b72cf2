// The only way to write files: a complete new version atomically replaces the old one.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/os/descriptor.h"

namespace tide {

/// A new version of a file. `commit` atomically replaces the old one; without it, the old file
/// stays unchanged.
///
/// A replaced file keeps its mode, owner and group; other hard links to it keep the old contents.
/// Symbolic links are followed. If the target is not a regular file (a device, a pipe,
/// /dev/stdout), commit writes to it instead of replacing it. All errors are FileErrors that name
/// the path; the constructor refuses folders and files that the user may not write.
///
/// Until commit the new version has no name if the file system supports that (O_TMPFILE), otherwise
/// ".NAME.tide-saving-N" in the same folder. Its writer holds a lock on it: one without a lock
/// belongs to a process that has died, and the next FileReplacement of the same path removes it.
class FileReplacement {
 public:
  /// For the file at `path`. `commit` waits until all data is on disk.
  explicit FileReplacement(const std::string& path);
  /// For the file `name` in an open folder, readable only by the user. `commit` does not wait for
  /// the disk: for files whose readers verify the contents.
  FileReplacement(int folder, const std::string& name);
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  /// Appends.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// The new version, a regular file, for callers that do not write sequentially.
  int descriptor() const { return file_; }

  void commit();

 private:
  void begin(mode_t mode);
  void create_named(mode_t mode);
  void link_named();
  void remove_abandoned() const;
  bool is_ours(int file, const std::string& name) const;
  std::string temporary_name(int number) const;
  void keep_owner_and_mode();
  void send();
  [[noreturn]] void fail(const char* what, int error) const;

  std::string path_;  ///< for messages
  std::string name_, temporary_;
  bool durable_ = true;
  std::optional<struct stat> old_;
  Descriptor folder_, file_;
  Descriptor target_;  ///< the target, if it is not a regular file
};

/// Replaces the file at `path` by a text, as FileReplacement does.
void replace_file(const std::string& path, std::string_view text);

}  // namespace tide
