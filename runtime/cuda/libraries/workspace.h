// The workspace of tide's and the libraries' kernels.
#pragma once

#include <map>

#include "runtime/cuda/driver/driver_api.h"

namespace tide::cuda {

/// One block per stream, which consecutive kernels of the stream reuse. Blocks are kept until
/// memory is short. Used with the device's context current.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;

  /// The stream's block, of at least `bytes`; throws LaunchShortage if memory runs out. A call that
  /// needs a larger block waits for the stream and may move it.
  void* get(CudaStream stream, size_t bytes);
  /// Waits for the streams that use large blocks, and releases the blocks.
  void release_large();

  static constexpr size_t kKept = size_t{64} << 20;  ///< bytes of a block that is never released

 private:
  struct Block {
    DevicePointer data = 0;
    size_t bytes = 0;
  };
  static void release(CudaStream stream, Block& block);

  std::map<CudaStream, Block> blocks_;
};

}  // namespace tide::cuda
