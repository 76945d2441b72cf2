// What a backend can do beside Backend if the host's threads compute for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/ir/compute_op.h"

namespace tide {

struct LoopStep;
struct ComputeStep;

/// Threads that may each launch and copy, for steps that do not need each other's results.
class HostParallelism {
 public:
  virtual ~HostParallelism() = default;
  virtual Parallel& parallel() = 0;
  /// The work of the step, in elements computed, if that is so little that one thread may do all of
  /// it; else 0.
  virtual int64_t small_work(const LoopStep& step) const = 0;
  virtual int64_t small_work(const ComputeStep& step) const = 0;
  /// The same of a copy within the device.
  virtual int64_t small_copy(size_t bytes) const = 0;
};

}  // namespace tide
