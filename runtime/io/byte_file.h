// Sequential file reading. All errors are FileErrors that name the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tide {

/// A stream of bytes with a known length.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Number of unread bytes.
  virtual uint64_t remaining() const = 0;
  /// Fills `target`. Throws FileError if that many bytes are not left or cannot be read.
  virtual void read(std::span<std::byte> target) = 0;
  /// The name of the input for messages: a file, or a member of one.
  virtual const std::string& name() const = 0;
};

/// A regular file, read sequentially.
class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  uint64_t remaining() const override { return remaining_; }
  void read(std::span<std::byte> target) override;
  const std::string& name() const override { return path_; }
  /// Skips this many bytes.
  void skip(uint64_t bytes);

 private:
  std::string path_;
  int file_ = -1;
  uint64_t remaining_ = 0;
};

/// Throws FileError: "PATH: what".
[[noreturn]] void throw_file_error(const std::string& path, const std::string& what);

}  // namespace tide
