// Arguments for the linear algebra kernels, which work on stacks of matrices.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/cuda/launchers/launchers.h"

namespace tide::cuda {

static_assert(kSmallMatrixThreads % 32 == 0 && kMatrixThreads % 32 == 0);  // full warps

inline MatrixStack stack_of(ComputeLaunch& call, size_t input) {
  const Layout& layout = call.input_layout(input);
  const int rank = layout.rank();
  MatrixStack stack{call.input(input), layout.strides[rank - 2], layout.strides[rank - 1], {}};
  std::copy_n(layout.strides.data(), rank - 2, stack.leading);
  return stack;
}

/// Arguments with the first input as `a`, and its sizes.
template <class Arguments>
Arguments stack_arguments(ComputeLaunch& call) {
  const Shape& shape = call.input_layout(0).shape;
  Arguments g{};
  g.a = stack_of(call, 0);
  g.leading_rank = shape.rank() - 2;
  g.rows = static_cast<int32_t>(shape[g.leading_rank]);
  g.columns = static_cast<int32_t>(shape[g.leading_rank + 1]);
  g.count = 1;
  for (int d = 0; d < g.leading_rank; ++d) g.count *= g.leading[d] = shape[d];
  return g;
}

/// The longer side of the first input's matrices.
inline int64_t longer_side(ComputeLaunch& call) {
  const Shape& shape = call.input_layout(0).shape;
  return std::max(shape[shape.rank() - 2], shape[shape.rank() - 1]);
}

template <class Arguments>
void run_blocks(ComputeLaunch& call, const char* file, const char* name, Arguments& g,
                int64_t blocks) {
  const bool small = std::max(g.rows, g.columns) <= kSmallMatrix;
  run(call, file, std::string(name) + suffix_of(call.step.outputs[0].type), g, blocks,
      small ? kSmallMatrixThreads : kMatrixThreads);
}

/// Reports to the host the first failure that the kernels before have recorded: `values` at that
/// index, or the recorded number itself if `values` is null.
inline void report_failure(ComputeLaunch& call, const int32_t* values, Reports::Describe describe) {
  const Reports::Slot slot = call.reports.open(std::move(describe));
  call.report = slot.number;
  ReportArguments g{call.kernels.first_wrong(call.stream), values, slot.report};
  run(call, "linalg", "report_failure", g, 1, 1);
}

/// Reports the first failed matrix of a stack of `count`; `text` returns the message for it.
inline void report_matrix(ComputeLaunch& call, int64_t count,
                          std::string (*text)(const std::string& matrix, int64_t failure)) {
  report_failure(call, nullptr, [count, text](int64_t failed) {
    return text(matrix_name(failed >> 32, count), failed & 0xffffffff);
  });
}

}  // namespace tide::cuda
