// What the queues of a device share for the case that the device loses all that lies on it.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "runtime/device/error_table.h"

namespace tide {

/// An illegal address or a trap takes all values of a device along, whichever of its streams it
/// came from. The first queue that hears of it sets the device up anew for all of them; whatever
/// was submitted with addresses of before does not run. Thread-safe.
class DeviceLoss {
 public:
  explicit DeviceLoss(ErrorTable& failures) : failures_(failures) {}

  /// Sets the device up anew, with nothing on it, and gives the addresses of the values that went.
  using Renew = std::function<std::vector<void*>()>;
  /// Before the first submission.
  void set_renew(Renew renew) { renew_ = std::move(renew); }

  /// How often the device was lost.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  /// The last time. Only while held.
  const Ref<Failure>& failure() const { return failure_; }
  /// As long as the lock is held, the device is not set up anew: addresses of this generation are
  /// good. Nobody waits for another queue with it.
  std::shared_lock<std::shared_mutex> hold() { return std::shared_lock(mutex_); }

  /// The device, in its generation `seen`, is lost: its values fail with `failure`. Does nothing if
  /// another queue has seen to it already. Not while held.
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
