// The one way in which files are written: a new version beside the old one takes its place at once.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/core/descriptor.h"

namespace tide {

/// A new version of a file. `commit` puts it in the place of the old one at once; without, the old
/// one stays as it is.
///
/// A replaced file keeps its mode, owner and group; other hard links to it keep the old contents.
/// Symbolic links are followed. What is no regular file (a device, a pipe, /dev/stdout) is not
/// replaced but written to, by commit. All errors are FileErrors that name the path; folders, and
/// files that the user may not write, are refused by the constructor.
///
/// The new version has no name until commit where the file system allows that (O_TMPFILE), else one
/// beside the file, ".NAME.tide-saving-N". Its writer holds a lock on it: one without belongs to a
/// process that has died, and the next FileReplacement of the same path removes it.
class FileReplacement {
 public:
  /// The file at `path`. `commit` waits until the disk has all of it.
  explicit FileReplacement(const std::string& path);
  /// The file `name`, readable by the user alone, in an open folder. `commit` does not wait for the
  /// disk: a file for those who check what they read.
  FileReplacement(int folder, const std::string& name);
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  /// Adds to the end.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

  /// The new version, for those who write in another order. It is a regular file.
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
  Descriptor target_;  ///< what is written to, if that is no regular file
};

/// Replaces the file at `path` by a text, as FileReplacement does.
void replace_file(const std::string& path, std::string_view text);

}  // namespace tide
