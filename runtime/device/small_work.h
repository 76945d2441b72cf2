// Steps that are small enough for one thread of the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/backend.h"

namespace tide {

/// Elements of a loop that are worth another thread.
int64_t grain_of(const Kernel& kernel);

/// Multiply-adds up to which a product of a batch is computed by one thread.
constexpr int64_t kSmallProduct = 1 << 22;

/// The work of the step, in elements computed, if it is small enough for one thread to do all of
/// it; else 0.
int64_t small_work(const LoopStep& step);
int64_t small_work(const ComputeStep& step);
/// The work of a copy within the device, likewise.
int64_t small_copy(size_t bytes);

}  // namespace tide
