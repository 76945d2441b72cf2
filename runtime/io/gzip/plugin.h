// What the gzip plugin offers.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tide {

/// Functions on gzip data. They throw FileError.
struct GzipPlugin {
  /// Unpacks all members, one after the other, and hands on pieces of at most 64 KiB. Checksums are
  /// compared; zeros behind the last member are ignored.
  void (*unpack)(std::string_view bytes, const std::string& name,
                 const std::function<void(std::span<const std::byte>)>& take);
};

}  // namespace tide
