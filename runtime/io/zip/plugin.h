// What the zip plugin offers. It is a library of its own because libzip brings OpenSSL along, which
// would weigh on every start.
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

/// An archive that is read member by member. Together its members claim no more bytes than deflate
/// can hold in a file of its size.
class ZipArchive {
 public:
  struct Member {
    std::string name;
    uint64_t size;      ///< unpacked
    uint64_t position;  ///< among all entries of the archive
  };

  virtual ~ZipArchive() = default;
  /// All members that are no folder, in order.
  virtual const std::vector<Member>& members() const = 0;
  /// The contents of one of them, unpacked while they are read.
  virtual std::unique_ptr<ByteSource> open(const Member& member) const = 0;
};

/// Functions on zip archives. They throw FileError.
struct ZipPlugin {
  std::unique_ptr<ZipArchive> (*open)(const std::string& path);
  /// Writes an archive to an open, empty file; errors speak of `path`.
  void (*write)(int file, const std::string& path, std::span<const ZipMember> members,
                bool compress);
};

}  // namespace tide
