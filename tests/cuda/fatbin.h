// The parts of NVIDIA's container of machine code that tests read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tide::test {

/// The architecture (86: sm_86) of a fatbin with one image, which is machine code; 0 if it is
/// something else.
inline uint32_t architecture_of(const void* bytes) {
  constexpr uint32_t kMagic = 0xba55ed50;
  constexpr uint16_t kMachineCode = 2;
  struct {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;  // of all images
    uint16_t kind, image_version;
    uint32_t image_header_bytes;
    uint64_t image_bytes;
    uint32_t sizes[2];
    uint16_t minor, major;
    uint32_t architecture;
  } head;
  static_assert(offsetof(decltype(head), architecture) == 44);
  if (std::memcmp(bytes, &kMagic, sizeof kMagic) != 0) return 0;
  std::memcpy(&head, bytes, sizeof head);
  const bool is_alone = head.bytes == head.image_header_bytes + head.image_bytes;
  return is_alone && head.kind == kMachineCode ? head.architecture : 0;
}

}  // namespace tide::test
