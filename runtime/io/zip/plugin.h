// What the zip plugin offers. It is a library of its own because libzip brings OpenSSL along, which
// would weigh on every start.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "runtime/io/byte_file.h"

namespace tide {

/// A member of an archive to be written: `head`, then `body`.
struct ZipMember {
  std::string name, head;
  std::span<const std::byte> body;
};

/// Functions on zip archives. They throw FileError.
struct ZipPlugin {
  /// Calls visit(name, contents) for each member that is no folder, in order.
  void (*read)(const std::string& path,
               const std::function<void(const std::string& name, ByteSource& contents)>& visit);
  /// Writes an archive to an open, empty file; errors speak of `path`.
  void (*write)(int file, const std::string& path, std::span<const ZipMember> members,
                bool compress);
};

}  // namespace tide
