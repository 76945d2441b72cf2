// A device of the fake driver: host memory as device memory, and threads as streams.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "runtime/cuda/driver/driver_api.h"

namespace fake {

using tide::cuda::Result;

/// Blocks of memory by address.
class Blocks {
 public:
  /// Null if the total would exceed `limit`.
  void* allocate(size_t bytes, size_t limit);
  bool release(uint64_t address);
  void clear();
  /// Registers, or unregisters, memory that another component owns. False, without adding anything,
  /// if a part of it is already in a block.
  bool add(uint64_t address, size_t bytes);
  bool remove(uint64_t address);
  /// The first byte and the end of the block that contains the address.
  std::optional<std::pair<uint64_t, uint64_t>> find(uint64_t address) const;
  size_t total() const;

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, size_t> blocks_;
  size_t total_ = 0;
};

/// Pinned host memory, shared by all devices.
Blocks& pinned();

class StreamThread;

struct Device {
  int ordinal = 0;
  int card = 0;  ///< index in the machine: see CUDA_VISIBLE_DEVICES
  Blocks memory;
  std::atomic<Result> lost{0};          ///< the error that every call returns from then on
  std::atomic<uint64_t> generation{0};  ///< of its context
  std::atomic<int64_t> launches{0};
  std::mutex context_mutex;
  int holders = 0;                     ///< the number of retains of the context
  std::vector<StreamThread*> streams;  ///< of the context
  std::set<uint64_t> registered;       ///< host memory that was pinned in the context
  /// Contexts whose memory this one may use, by ordinal and generation.
  std::set<std::pair<int, uint64_t>> peers;

  /// Creates a new context: drops pending work of the old one's streams, frees all memory, and
  /// unregisters host memory.
  void reset();

  /// Whether this device may access [address, address + bytes).
  bool owns(uint64_t address, size_t bytes) const;
};

/// Runs its work in order, on its own thread. With the setting `late`, it waits before about half
/// of its work, so that its timing differs from that of other streams.
class StreamThread {
 public:
  explicit StreamThread(Device& device);
  /// Waits while the queue is full (`queue_depth`).
  void enqueue(std::function<void()> work);
  void synchronize();
  Device& device() { return device_; }

 private:
  void run();

  Device& device_;
  std::minstd_rand random_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  uint64_t given_ = 0, done_ = 0;
};

class EventMark {
 public:
  explicit EventMark(bool is_timed) : is_timed(is_timed) {}
  void record(StreamThread& stream);
  bool reached() const { return done_ >= recorded_; }
  void wait();
  /// Makes `stream` wait for the point recorded last.
  void hold(StreamThread& stream);
  /// The time when it was reached.
  std::chrono::steady_clock::time_point time();

  const bool is_timed;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<uint64_t> recorded_{0}, done_{0};
  std::chrono::steady_clock::time_point time_;
};

}  // namespace fake
