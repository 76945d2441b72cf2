// What a device knows of values that could not be computed.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/device/failure.h"

namespace tide {

/// A failure that belongs to the value at an address, until another one is written there.
/// Lost values stay lost and spoil what is computed from them. A notice says that a write to a cell
/// was not carried out: the value is the one before, and whoever reads it first gets the report,
/// unless that failure was reported already. To work that was flushed before that it is as good as
/// lost.
struct ValueError {
  Ref<Failure> failure;
  bool lost = true;

  /// Whether the work of this number may not use the value.
  bool spoils(uint64_t work) const { return lost || !failure->was_reported_before(work); }
};

/// The failures of a device, by address: all its queues share it. Thread-safe. An address is
/// written by one queue, and read by another one only after a wait for that.
class ErrorTable {
 public:
  bool empty() const { return error_count_.load(std::memory_order_acquire) == 0; }
  /// The failure of the value at this address, if it has one.
  std::optional<ValueError> find(void* address);
  /// What somebody who reads the value must be reported to: no notice of a failure that is known.
  std::optional<ValueError> find_unreported(void* address);
  void set(void* address, ValueError value_error);
  /// The address holds a new value: what was wrong with the one before is of no account. Returns
  /// what it was.
  Ref<Failure> clear(void* address);
  /// Failures that happened and that nobody has read.
  std::vector<Ref<Failure>> unread();

 private:
  void note(const Ref<Failure>& failure);
  void count() { error_count_.store(errors_.size(), std::memory_order_release); }

  std::mutex mutex_;
  std::unordered_map<void*, ValueError> errors_;
  std::vector<Ref<Failure>> failures_;  ///< those not read among them, each at least once
  size_t forget_at_ = 64;  ///< from so many on, those that were read by now are forgotten
  std::atomic<size_t> error_count_{0};
};

}  // namespace tide
