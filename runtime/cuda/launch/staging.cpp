#include "runtime/cuda/launch/staging.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace tide::cuda {

/// The least recently used block, after waiting for the copies through it.
Staging::Block& Staging::take() {
  Block& block = blocks_[next_++ % blocks_.size()];
  if (!block.used) check(driver().event_create(&block.used, kEventNoTiming), "cuEventCreate");
  if (block.data)
    check(driver().event_synchronize(block.used), "cuEventSynchronize");
  else
    check(driver().host_allocate(&block.data, kBlockBytes, kHostPortable), "cuMemHostAlloc");
  block.filled = 0;
  return block;
}

/// The most recently used block if it has space left, else the next one.
Staging::Block& Staging::with_space() {
  Block& last = blocks_[(next_ + blocks_.size() - 1) % blocks_.size()];
  return last.data && last.filled < kBlockBytes ? last : take();
}

/// Small uploads share a block, so that a loop that uploads one batch at a time rarely waits.
void Staging::upload(DevicePointer to, const void* from, size_t bytes) {
  constexpr size_t kAligned = 256;
  const auto* source = static_cast<const std::byte*>(from);
  for (size_t done = 0, part = 0; done < bytes; done += part) {
    Block& block = with_space();
    part = std::min(kBlockBytes - block.filled, bytes - done);
    std::byte* const staged = static_cast<std::byte*>(block.data) + block.filled;
    std::memcpy(staged, source + done, part);
    check(driver().copy_to_device(to + done, staged, part, stream_), "cuMemcpyHtoDAsync");
    block.filled =
        std::min((block.filled + part + kAligned - 1) / kAligned * kAligned, kBlockBytes);
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
    block.filled = kBlockBytes;
    check(driver().copy_to_host(block.data, from + done, part, stream_), "cuMemcpyDtoHAsync");
    check(driver().event_record(block.used, stream_), "cuEventRecord");
    under_way.push_back({&block, done, part});
  }
  while (!under_way.empty()) finish_oldest();
}

}  // namespace tide::cuda
