// Blocks grow as they are asked for: plans are few, and the largest of theirs stays in use.
#include "runtime/cuda/workspace.h"

#include "runtime/cuda/driver.h"

namespace tide::cuda {

/// Kernels of the stream may still work in it: whether giving memory back waits for them is not for
/// the driver to decide.
void Workspace::give_back(Stream stream, Block& block) {
  if (!block.data) return;
  check(driver().stream_synchronize(stream), "cuStreamSynchronize");
  driver().release(block.data);
  block = {};
}

void* Workspace::get(Stream stream, size_t bytes) {
  Block& block = blocks_[stream];
  if (block.bytes < bytes) {
    give_back(stream, block);
    if (driver().allocate(&block.data, bytes) != kSuccess) return nullptr;
    block.bytes = bytes;
  }
  return reinterpret_cast<void*>(block.data);
}

void Workspace::trim(Stream stream) {
  Block& block = blocks_[stream];
  if (block.bytes > kKept) give_back(stream, block);
}

}  // namespace tide::cuda
