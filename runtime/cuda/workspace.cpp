// Blocks grow as they are asked for: plans are few, and the largest of theirs stays in use.
#include "runtime/cuda/workspace.h"

#include "runtime/cuda/driver.h"

namespace tide::cuda {

void* Workspace::get(Stream stream, size_t bytes) {
  Block& block = blocks_[stream];
  if (block.bytes < bytes) {
    if (block.data) driver().release(block.data);  // waits for what uses it
    block = {};
    if (driver().allocate(&block.data, bytes) != kSuccess) return nullptr;
    block.bytes = bytes;
  }
  return reinterpret_cast<void*>(block.data);
}

void Workspace::trim(Stream stream) {
  Block& block = blocks_[stream];
  if (block.bytes <= kKept) return;
  driver().release(block.data);
  block = {};
}

}  // namespace tide::cuda
