// The interface of the gzip plugin.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tide {

/// Functions on gzip data. They throw FileError.
struct GzipPlugin {
  /// Decompresses all members in order, passing pieces of at most 64 KiB to `take`. Verifies
  /// checksums; ignores zeros after the last member.
  void (*unpack)(std::string_view bytes, const std::string& name,
                 const std::function<void(std::span<const std::byte>)>& take);
};

}  // namespace tide
