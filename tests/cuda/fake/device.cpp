// A device of the fake driver: host memory as device memory, and threads as streams.
#include "tests/cuda/fake/device.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "tests/cuda/fake/settings.h"

namespace fake {

namespace {

/// The contents of uninitialized or freed memory: nan in every floating-point type. Not written if
/// kernels are skipped, because those tests may allocate more memory than the machine has.
void poison(void* data, size_t bytes) {
  if (!settings().skip_kernels) std::memset(data, 0xff, bytes);
}

}  // namespace

void* Blocks::allocate(size_t bytes, size_t limit) {
  std::lock_guard lock(mutex_);
  if (total_ + bytes > limit) return nullptr;
  void* data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!data) return nullptr;
  poison(data, bytes);
  blocks_[reinterpret_cast<uint64_t>(data)] = bytes;
  total_ += bytes;
  return data;
}

bool Blocks::release(uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return false;
  poison(reinterpret_cast<void*>(address), found->second);
  total_ -= found->second;
  blocks_.erase(found);
  std::free(reinterpret_cast<void*>(address));
  return true;
}

void Blocks::clear() {
  std::lock_guard lock(mutex_);
  for (const auto& [address, bytes] : blocks_) std::free(reinterpret_cast<void*>(address));
  blocks_.clear();
  total_ = 0;
}

bool Blocks::add(uint64_t address, size_t bytes) {
  std::lock_guard lock(mutex_);
  const auto after = blocks_.lower_bound(address);
  if (after != blocks_.end() && after->first < address + bytes) return false;
  if (after != blocks_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second > address) return false;
  }
  blocks_[address] = bytes;
  total_ += bytes;
  return true;
}

bool Blocks::remove(uint64_t address) {
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return false;
  total_ -= found->second;
  blocks_.erase(found);
  return true;
}

std::optional<std::pair<uint64_t, uint64_t>> Blocks::find(uint64_t address) const {
  std::lock_guard lock(mutex_);
  auto found = blocks_.upper_bound(address);
  if (found == blocks_.begin()) return std::nullopt;
  --found;
  if (address >= found->first + found->second) return std::nullopt;
  return std::pair(found->first, found->first + found->second);
}

size_t Blocks::total() const {
  std::lock_guard lock(mutex_);
  return total_;
}

Blocks& pinned() {
  static Blocks& blocks = *new Blocks;
  return blocks;
}

bool Device::owns(uint64_t address, size_t bytes) const {
  const auto range = memory.find(address);
  return range && address + bytes <= range->second;
}

void Device::reset() {
  std::lock_guard lock(context_mutex);
  for (StreamThread* stream : streams) stream->synchronize();
  streams.clear();
  memory.clear();
  for (uint64_t address : registered) pinned().remove(address);
  registered.clear();
  peers.clear();
  ++generation;
  lost = tide::cuda::kSuccess;
}

StreamThread::StreamThread(Device& device) : device_(device) {
  {
    std::lock_guard lock(device.context_mutex);
    device.streams.push_back(this);
    random_.seed(static_cast<unsigned>(device.streams.size()));
  }
  std::thread([this] { run(); }).detach();  // runs until the process ends, like a driver's threads
}

void StreamThread::enqueue(std::function<void()> work) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return work_.size() < static_cast<size_t>(settings().queue_depth); });
  work_.push_back(std::move(work));
  ++given_;
  changed_.notify_all();
}

void StreamThread::synchronize() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&, until = given_] { return done_ >= until; });
}

void StreamThread::run() {
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !work_.empty(); });
      work = std::move(work_.front());
      work_.pop_front();
      changed_.notify_all();
    }
    if (settings().late && random_() % 2)
      std::this_thread::sleep_for(std::chrono::microseconds(settings().late));
    work();
    std::lock_guard lock(mutex_);
    ++done_;
    changed_.notify_all();
  }
}

void EventMark::record(StreamThread& stream) {
  const uint64_t point = ++recorded_;
  stream.enqueue([this, point] {
    std::lock_guard lock(mutex_);
    time_ = std::chrono::steady_clock::now();
    done_ = point;
    changed_.notify_all();
  });
}

std::chrono::steady_clock::time_point EventMark::time() {
  std::lock_guard lock(mutex_);
  return time_;
}

void EventMark::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&, until = recorded_.load()] { return done_ >= until; });
}

void EventMark::hold(StreamThread& stream) {
  stream.enqueue([this, until = recorded_.load()] {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= until; });
  });
}

}  // namespace fake
