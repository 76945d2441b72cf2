// The interface of the zip plugin. It is a separate library because libzip loads OpenSSL, which
// would slow down every start.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/io/byte_file.h"

namespace tide {

/// A member of an archive to be written: `head`, then `body`.
struct ZipMember {
  std::string name, head;
  std::span<const std::byte> body;
};

/// An archive that is read member by member. The total size of its members is limited to what
/// deflate can store in a file of its size.
class ZipArchive {
 public:
  struct Member {
    std::string name;
    uint64_t size;      ///< uncompressed
    uint64_t position;  ///< index among all entries of the archive
  };

  virtual ~ZipArchive() = default;
  /// All members except folders, in order.
  virtual const std::vector<Member>& members() const = 0;
  /// The contents of a member, decompressed while they are read.
  virtual std::unique_ptr<ByteSource> open(const Member& member) const = 0;
};

/// Functions on zip archives. They throw FileError.
struct ZipPlugin {
  std::unique_ptr<ZipArchive> (*open)(const std::string& path);
  /// Writes an archive to an open, empty file; errors name `path`.
  void (*write)(int file, const std::string& path, std::span<const ZipMember> members,
                bool compress);
};

}  // namespace tide
