// Ops that are one call of a hand-written or library routine instead of a generated loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>

#include "runtime/ir/compute_attributes.h"
#include "runtime/os/spin.h"
#include "runtime/types/dtype.h"
#include "runtime/types/shape.h"

namespace tide {

/// The compute ops. Ops that cut the window (matrix products, convolutions) are also preceded by a
/// cut. Inputs, outputs and attributes of each are listed in runtime/ir/compute_ops.def.
enum class ComputeOp : uint16_t {
#define TIDE_COMPUTE_OP(name, cuts_window) name,
#include "runtime/ir/compute_ops.def"
#undef TIDE_COMPUTE_OP
};

constexpr bool cuts_window(ComputeOp op) {
  constexpr bool kCuts[] = {
#define TIDE_COMPUTE_OP(name, cuts_window) cuts_window,
#include "runtime/ir/compute_ops.def"
#undef TIDE_COMPUTE_OP
  };
  return kCuts[static_cast<int>(op)];
}

/// The enumerator as text, "conv2d".
constexpr const char* name_of(ComputeOp op) {
  constexpr const char* kNames[] = {
#define TIDE_COMPUTE_OP(name, cuts_window) #name,
#include "runtime/ir/compute_ops.def"
#undef TIDE_COMPUTE_OP
  };
  return kNames[static_cast<int>(op)];
}

/// An array that a compute op reads or writes. `data` is the address of the element at index 0.
struct ArrayView {
  void* data = nullptr;
  DType type = DType::f32;
  Layout layout;  ///< offset 0: `data` already includes it
};

/// Running sums restart in each block of this many elements of a fiber; the total of all earlier
/// blocks is added to each block. So the bits are the same for any number of threads.
constexpr int64_t kScanBlock = 1024;

/// The most scores per head for `attention_backward`, because libraries store two bytes for each.
constexpr int64_t kMostScoresOfHead = int64_t{1} << 30;

/// Runs body(begin, end) over disjoint parts of [0, n), on one thread or the device's team. How the
/// range is partitioned must not change a bit of the result.
class Parallel {
 public:
  virtual ~Parallel() = default;
  virtual int threads() const = 0;
  /// `grain`: the fewest items worth a thread.
  virtual void for_range(int64_t n, int64_t grain,
                         const std::function<void(int64_t begin, int64_t end)>& body) = 0;
  /// Busy-waits until the condition is true, meanwhile working on short ranges of other threads;
  /// gives up after `time` without any. Returns whether the condition is true.
  virtual bool help_until(std::chrono::microseconds time, const std::function<bool()>& condition) {
    return spin_until(time, condition);
  }
};

/// Work on parts of a compute op's first result, which need not wait for the rest of it.
struct Finishing {
  /// For the result's row-major elements begin..end-1, once they are complete. On any thread.
  std::function<void(int64_t begin, int64_t end)> part;
  bool done = false;  ///< set by an op that has called `part` for each element once
};

/// One run of a compute op on a host device.
struct ComputeCall {
  ComputeOp op;
  std::span<const ArrayView> inputs;
  std::span<const ArrayView> outputs;  ///< dense, row-major
  std::span<const int64_t> attributes;
  Parallel* parallel;
  Finishing* finishing = nullptr;  ///< for ops that can do it; null: none

  /// Set by the op if a position was out of range: the op then clamps reads, skips writes, and
  /// continues. The first in input order counts. position 0 with limit n: "positions start at 1".
  bool out_of_range = false;
  int64_t position = 0;  ///< the invalid one, from 1
  int64_t limit = 0;     ///< 1..limit was allowed
};

using ComputeFunction = void (*)(ComputeCall&);

}  // namespace tide
