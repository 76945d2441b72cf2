// The MD5 sum of bytes, by RFC 1321.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tide {

class Md5 {
 public:
  void add(std::span<const std::byte> bytes);
  /// The sum of all added bytes, as 32 hexadecimal digits. The object must not be used afterwards.
  std::string text();

 private:
  void take_block(const std::byte* block);

  std::array<uint32_t, 4> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::array<std::byte, 64> waiting_{};  ///< the first size_ % 64 belong to an incomplete block
  uint64_t size_ = 0;
};

}  // namespace tide
