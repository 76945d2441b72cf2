// Errors from computing results.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/device/call_site.h"
#include "runtime/types/ref.h"

namespace tide {

/// The error from computing a result: reported to each reader.
class Failure : public RefCounted<Failure> {
 public:
  Failure() = default;
  Failure(const char* op, CallSite site, std::string what)
      : what(std::move(what)), op(op), site(site) {}

  /// The failure of work that a queue runs, with this message or error. If the host has no memory
  /// for it, this is a record made beforehand, which reports only that.
  static Ref<Failure> of_work(const char* op, CallSite site, std::string_view what) noexcept;
  static Ref<Failure> of_work(const char* op, CallSite site, const std::exception& error) noexcept;
  /// Makes records for such cases; called before work is queued.
  static void make_spares() {
    if (spare_count_.load(std::memory_order_relaxed) < kSpares) [[unlikely]]
      fill_spares();
  }

  std::string what;  ///< "gather: position 20 is out of range 1..10"
  const char* op = "";
  CallSite site;          ///< of the line that queued the op
  bool shortage = false;  ///< the host ran out of memory

  /// "gather: position 20 is out of range 1..10; queued at lesson.lua:12 (gather)".
  std::string text() const { return what + "; queued at " + site.text() + " (" + op + ")"; }

  /// A number for work that is flushed now, to any queue.
  static uint64_t number_work() { return ++work_numbered_; }
  /// The last number assigned.
  static uint64_t last_number() { return work_numbered_; }

  /// Marks it as reported now; only the first call counts.
  void report() {
    uint64_t never = kNever;
    reported_after_.compare_exchange_strong(never, work_numbered_);
  }
  /// Marks it as known to its cause before any work.
  void is_known() { reported_after_ = kBefore; }
  bool is_reported() const { return reported_after_ != kNever; }
  /// Whether it had been reported when the work of this number was flushed.
  bool was_reported_before(uint64_t work) const { return is_reported() && reported_after_ < work; }

 private:
  static constexpr size_t kSpares = 64;
  inline static std::atomic<size_t> spare_count_{0};
  static void fill_spares();
  static Ref<Failure> take_spare(const char* op, CallSite site) noexcept;

  static constexpr uint64_t kNever = 0, kBefore = 1;
  inline static std::atomic<uint64_t> work_numbered_{kBefore};

  std::atomic<uint64_t> reported_after_{kNever};  ///< the last work flushed before the report
};

}  // namespace tide
