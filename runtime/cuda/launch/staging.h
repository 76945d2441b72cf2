// Copies between pageable host memory and a device, through pinned blocks that are kept for reuse.
#pragma once

#include <array>
#include <cstddef>

#include "runtime/cuda/driver/driver.h"

namespace tide::cuda {

/// Belongs to one stream and is used by one thread at a time, with the stream's context current.
/// The blocks are pinned on first use.
class Staging {
 public:
  explicit Staging(Stream stream) : stream_(stream) {}
  Staging(const Staging&) = delete;

  /// Enqueues the copy. `from` may be changed as soon as this returns.
  void upload(DevicePointer to, const void* from, size_t bytes);
  /// Copies, and returns when the bytes are there.
  void download(void* to, DevicePointer from, size_t bytes);

 private:
  struct Block {
    void* data = nullptr;
    Event used = nullptr;  ///< the end of the last copy through it
    size_t filled = 0;     ///< bytes that copies under way may use
  };
  Block& take();
  Block& with_room();

  static constexpr size_t kBlockBytes = size_t{4} << 20;
  Stream stream_;
  std::array<Block, 4> blocks_;
  size_t next_ = 0;
};

}  // namespace tide::cuda
