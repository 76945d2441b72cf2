// A device of the fake driver: memory that is the host's, and streams that are threads.
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
  /// Memory that somebody else has and gives back.
  /// False, and nothing is added, if some of it lies in a block already.
  bool add(uint64_t address, size_t bytes);
  bool remove(uint64_t address);
  /// First byte and end of the block that holds the address.
  std::optional<std::pair<uint64_t, uint64_t>> find(uint64_t address) const;
  size_t total() const;

 private:
  mutable std::mutex mutex_;
  std::map<uint64_t, size_t> blocks_;
  size_t total_ = 0;
};

/// Pinned host memory, of all devices together.
Blocks& pinned();

class StreamThread;

struct Device {
  int ordinal = 0;
  int card = 0;  ///< which one of the machine: see CUDA_VISIBLE_DEVICES
  Blocks memory;
  std::atomic<Result> lost{0};          ///< the error that every call gives from then on
  std::atomic<uint64_t> generation{0};  ///< of its context
  std::atomic<int64_t> launches{0};
  std::mutex context_mutex;
  int holders = 0;                     ///< who has retained the context
  std::vector<StreamThread*> streams;  ///< of the context
  std::set<uint64_t> registered;       ///< host memory that was pinned in the context
  /// Contexts whose memory this one may use, by ordinal and generation.
  std::set<std::pair<int, uint64_t>> peers;

  /// A new context: what waits in the old one's streams ends, all memory goes, and host memory that
  /// was registered is ordinary again.
  void reset();

  /// Whether [address, address + bytes) may be touched by this device.
  bool owns(uint64_t address, size_t bytes) const;
};

/// Does what it is given in order, on a thread of its own. If streams are to be late, it waits
/// before about half of its work, so that it comes to it at another time than streams beside it.
class StreamThread {
 public:
  explicit StreamThread(Device& device);
  /// Waits while as much work as a driver's queue holds is there (`queue_depth`).
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
  /// When it was reached.
  std::chrono::steady_clock::time_point time();

  const bool is_timed;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<uint64_t> recorded_{0}, done_{0};
  std::chrono::steady_clock::time_point time_;
};

}  // namespace fake
