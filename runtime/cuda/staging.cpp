#include "runtime/cuda/staging.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace tide::cuda {

/// The block that was used longest ago, free again.
Staging::Block& Staging::take() {
  Block& block = blocks_[next_++ % blocks_.size()];
  if (!block.used) check(driver().event_create(&block.used, kEventNoTiming), "cuEventCreate");
  if (block.data)
    check(driver().event_synchronize(block.used), "cuEventSynchronize");
  else
    check(driver().host_allocate(&block.data, kBlockBytes, kHostPortable), "cuMemHostAlloc");
  return block;
}

void Staging::upload(DevicePointer to, const void* from, size_t bytes) {
  const auto* source = static_cast<const std::byte*>(from);
  for (size_t done = 0; done < bytes; done += kBlockBytes) {
    const size_t part = std::min(kBlockBytes, bytes - done);
    Block& block = take();
    std::memcpy(block.data, source + done, part);
    check(driver().copy_to_device(to + done, block.data, part, stream_), "cuMemcpyHtoDAsync");
    check(driver().event_record(block.used, stream_), "cuEventRecord");
  }
}

void Staging::download(void* to, DevicePointer from, size_t bytes) {
  auto* destination = static_cast<std::byte*>(to);
  struct Part {
    Block* block;
    size_t start, bytes;
  };
  std::deque<Part> under_way;
  const auto finish_oldest = [&] {
    const Part part = under_way.front();
    under_way.pop_front();
    check(driver().event_synchronize(part.block->used), "cuEventSynchronize");
    std::memcpy(destination + part.start, part.block->data, part.bytes);
  };
  for (size_t done = 0; done < bytes; done += kBlockBytes) {
    if (under_way.size() == blocks_.size()) finish_oldest();
    const size_t part = std::min(kBlockBytes, bytes - done);
    Block& block = take();
    check(driver().copy_to_host(block.data, from + done, part, stream_), "cuMemcpyDtoHAsync");
    check(driver().event_record(block.used, stream_), "cuEventRecord");
    under_way.push_back({&block, done, part});
  }
  while (!under_way.empty()) finish_oldest();
}

}  // namespace tide::cuda
