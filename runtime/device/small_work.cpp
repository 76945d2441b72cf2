// How much work a thread should have.
#include "runtime/device/small_work.h"

#include <algorithm>

#include "runtime/ir/kernel.h"

namespace tide {
namespace {

/// Elements worth another thread if each takes few instructions, and if each takes many.
constexpr int64_t kGrain = 16384;
constexpr int64_t kLeastGrain = 2048;
constexpr int kFewInstructions = 8;

/// The work of `elements`, scaled so that kGrain is worth another thread; 0 if it is more than
/// that.
int64_t small(int64_t elements, int64_t grain) {
  return elements <= grain ? std::max<int64_t>(elements * (kGrain / grain), 1) : 0;
}

}  // namespace

int64_t grain_of(const Kernel& kernel) {
  return std::clamp(kGrain * kFewInstructions / std::max(kernel.cost(), 1), kLeastGrain, kGrain);
}

int64_t small_work(const LoopStep& step) {
  int64_t work = 1;
  for (int64_t extent : step.extents) work *= extent;
  return small(work, grain_of(*step.kernel));
}

int64_t small_work(const ComputeStep& step) {
  if (step.op != ComputeOp::matmul) return 0;
  const Shape& a = step.inputs[0].layout.shape;
  const int64_t work = step.outputs[0].layout.shape.numel() * a[a.rank() - 1];
  return work <= kSmallProduct ? std::max<int64_t>(work / 8, 1) : 0;
}

int64_t small_copy(size_t bytes) {
  return small(static_cast<int64_t>(bytes / sizeof(float)), kGrain);
}

}  // namespace tide
