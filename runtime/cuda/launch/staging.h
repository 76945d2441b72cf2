// Copies between pageable host memory and a device, through reusable pinned blocks.
#pragma once

#include <array>
#include <cstddef>

#include "runtime/cuda/driver/driver.h"

namespace tide::cuda {

/// Belongs to one stream and is used by one thread at a time, with the stream's context current.
/// The blocks are pinned on first use.
class Staging {
 public:
  explicit Staging(CudaStream stream) : stream_(stream) {}
  Staging(const Staging&) = delete;

  /// Enqueues the copy. `from` may be changed as soon as this returns.
  void upload(DevicePointer to, const void* from, size_t bytes);
  /// Returns when the copy is complete.
  void download(void* to, DevicePointer from, size_t bytes);

 private:
  struct Block {
    void* data = nullptr;
    Event used = nullptr;  ///< recorded after the last copy through it
    size_t filled = 0;     ///< bytes that unfinished copies may use
  };
  Block& take();
  Block& with_space();

  static constexpr size_t kBlockBytes = size_t{4} << 20;
  CudaStream stream_;
  std::array<Block, 4> blocks_;
  size_t next_ = 0;
};

}  // namespace tide::cuda
