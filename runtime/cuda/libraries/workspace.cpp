// Blocks grow on demand, because plans are few and the largest one's workspace stays in use.
#include "runtime/cuda/libraries/workspace.h"

#include "runtime/cuda/driver/driver.h"
#include "runtime/types/size_text.h"

namespace tide::cuda {

/// Kernels of the stream may still use the block, so this waits for them explicitly.
void Workspace::release(CudaStream stream, Block& block) {
  if (!block.data) return;
  check(driver().stream_synchronize(stream), "cuStreamSynchronize");
  driver().release(block.data);
  block = {};
}

void* Workspace::get(CudaStream stream, size_t bytes) {
  Block& block = blocks_[stream];
  if (block.bytes < bytes) {
    Block larger{0, bytes};
    const Result result = driver().allocate(&larger.data, bytes);
    if (result == kOutOfMemory)
      throw LaunchShortage("out of memory: requested " + size_text(bytes) + " of workspace");
    check(result, "cuMemAlloc");
    release(stream, block);
    block = larger;
  }
  return reinterpret_cast<void*>(block.data);
}

void Workspace::release_large() {
  for (auto& [stream, block] : blocks_)
    if (block.bytes > kKept) release(stream, block);
}

}  // namespace tide::cuda
