// State shared by the queues of a device for handling the loss of the device's contents.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "runtime/device/error_table.h"

namespace tide {

/// An illegal address or a trap destroys all values of a device, regardless of the stream that
/// caused it. The first queue that detects it sets the device up again for all of them; work
/// submitted with older addresses does not run. Thread-safe.
class DeviceLoss {
 public:
  explicit DeviceLoss(ErrorTable& failures) : failures_(failures) {}

  /// Sets up the empty device again and returns the addresses of the lost values.
  using Renew = std::function<std::vector<void*>()>;
  /// Before the first submission.
  void set_renew(Renew renew) { renew_ = std::move(renew); }

  /// Number of losses so far.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  /// The most recent loss. Only while held.
  const Ref<Failure>& failure() const { return failure_; }
  /// While the lock is held, the device is not set up again: addresses of this generation are
  /// valid. Must not be held while waiting for another queue.
  std::shared_lock<std::shared_mutex> hold() { return std::shared_lock(mutex_); }

  /// The device, in generation `seen`, is lost: its values fail with `failure`. Does nothing if
  /// another queue has already handled it. Not while held.
  void lose(uint64_t seen, Ref<Failure> failure) {
    const std::unique_lock lock(mutex_);
    if (generation() != seen) return;
    failure_ = std::move(failure);
    for (void* address : renew_()) failures_.set(address, {failure_, true});
    generation_.fetch_add(1, std::memory_order_release);
  }

 private:
  ErrorTable& failures_;
  Renew renew_;
  std::shared_mutex mutex_;
  std::atomic<uint64_t> generation_{0};
  Ref<Failure> failure_;
};

}  // namespace tide
