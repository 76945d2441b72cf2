// The interface of backends whose work runs on host threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/ir/compute_op.h"

namespace tide {

struct LoopStep;
struct ComputeStep;

/// Threads that may each launch and copy, for independent steps.
class HostParallelism {
 public:
  virtual ~HostParallelism() = default;
  virtual Parallel& parallel() = 0;
  /// The work of the step, in elements computed, if it is small enough for one thread to do all of
  /// it; else 0.
  virtual int64_t small_work(const LoopStep& step) const = 0;
  virtual int64_t small_work(const ComputeStep& step) const = 0;
  /// The work of a copy within the device, likewise.
  virtual int64_t small_copy(size_t bytes) const = 0;
};

}  // namespace tide
