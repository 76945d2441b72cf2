// Values of a device that could not be computed.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/device/failure.h"

namespace tide {

/// A failure of the value at an address, until another value is written there. Lost values stay
/// lost and so do values computed from them. A notice (not lost) means that a write to a cell was
/// not carried out: the previous value remains, and its first reader gets the report, unless that
/// failure was already reported. Work that was flushed before the report treats it as lost.
struct ValueError {
  Ref<Failure> failure;
  bool lost = true;

  /// Whether the work of this number must not use the value.
  bool spoils(uint64_t work) const { return lost || !failure->was_reported_before(work); }
};

/// Memory for the entries of a table: the process's, or, when that has none left, a buffer that was
/// made with the table and is not touched before. Used by one thread at a time.
class EntryMemory : public std::pmr::memory_resource {
 private:
  void* do_allocate(size_t bytes, size_t alignment) override;
  void do_deallocate(void* data, size_t bytes, size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  static constexpr size_t kBytes = size_t{1} << 20;
  const std::unique_ptr<std::byte[]> buffer_ = std::make_unique_for_overwrite<std::byte[]>(kBytes);
  std::pmr::monotonic_buffer_resource unused_{buffer_.get(), kBytes,
                                              std::pmr::null_memory_resource()};
  std::pmr::unsynchronized_pool_resource pool_{&unused_};
};

/// The failures of a device, by address, shared by all its queues. Thread-safe. An address is
/// written by one queue, and read by another one only after waiting for that queue. Once the device
/// is lost, every value on it, also a new one, has the failure of the loss.
class ErrorTable {
 public:
  bool empty() const { return error_count_.load(std::memory_order_acquire) == 0; }
  /// The failure of the value at this address, if it has one.
  std::optional<ValueError> find(void* address);
  /// The error that a reader of the value must get; no notices of failures already reported.
  std::optional<ValueError> find_unreported(void* address);
  /// Does not throw. Without memory for an entry, all values of the device have the error: see
  /// lose.
  void set(void* address, ValueError value_error);
  /// The address holds a new value: the error of the previous value no longer applies. Returns it.
  Ref<Failure> clear(void* address);
  /// The device and all its values are lost. Only the first loss counts.
  void lose(Ref<Failure> failure);
  /// The failure of a lost device; null: it works.
  Ref<Failure> loss();
  bool is_lost() const { return is_lost_.load(std::memory_order_acquire); }
  /// Failures that no code has read.
  std::vector<Ref<Failure>> unread();

 private:
  void note(const Ref<Failure>& failure);
  void lose_all(Ref<Failure> failure);
  void count() { error_count_.store(errors_.size() + is_lost_, std::memory_order_release); }

  std::mutex mutex_;
  EntryMemory memory_;
  std::pmr::map<void*, ValueError> errors_{&memory_};
  std::pmr::list<Ref<Failure>> failures_{&memory_};  ///< all unread ones, each at least once
  size_t forget_at_ = 64;  ///< at this size, failures that were read are removed
  std::atomic<size_t> error_count_{0};
  Ref<Failure> loss_;
  std::atomic<bool> is_lost_{false};
};

}  // namespace tide
