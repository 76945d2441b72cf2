// Finds positions that are out of range.
#pragma once

#include <algorithm>
#include <mutex>

#include "runtime/ir/compute_op.h"

namespace tide {

/// Collects positions that are out of range, from all parts of a call.
class RangeCheck {
 public:
  RangeCheck(ComputeCall& call, int64_t limit) : call_(call), limit_(limit) {}

  /// Whether `position` may be used. `point` is its linear index in the tensor of positions.
  bool allows(int64_t position, int64_t point) {
    if (position >= 1 && position <= limit_) [[likely]]
      return true;
    report(position, point);
    return false;
  }

  int64_t clamp(int64_t position) const { return std::clamp<int64_t>(position, 1, limit_); }

 private:
  void report(int64_t position, int64_t point) {
    std::lock_guard lock(mutex_);
    if (call_.out_of_range && point > first_) return;
    call_.out_of_range = true;
    call_.position = position;
    call_.limit = limit_;
    first_ = point;
  }

  ComputeCall& call_;
  int64_t limit_;
  std::mutex mutex_;
  int64_t first_ = 0;
};

}  // namespace tide
