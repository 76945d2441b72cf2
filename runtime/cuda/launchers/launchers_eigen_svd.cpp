// Eigenvalues of symmetric matrices, and singular values.
#include <algorithm>
#include <string>

#include "runtime/cuda/launchers/launchers.h"
#include "runtime/cuda/launchers/matrix_stack.h"
#include "runtime/ir/compute_failure.h"

namespace tide::cuda {

/// Eigenvalues of symmetric matrices, or singular values; without vectors if there is one output.
bool launch_eigen_svd(ComputeLaunch& call) {
  if (longer_side(call) > kLargestEigenSvd) return false;
  // Limits the number of blocks, which need workspace each.
  constexpr int64_t kMostWork = 64 << 20;
  auto g = stack_arguments<EigenSvdArguments>(call);
  if (g.count == 0) return true;
  const int64_t shorter = std::min(g.rows, g.columns), longer = std::max(g.rows, g.columns);
  if (shorter == 0) return false;  // vectors only, no values
  const bool symmetric = call.step.op == ComputeOp::eigh;
  g.values = call.output(0);
  if (call.step.outputs.size() > 1) {
    g.vectors = call.output(1);
    if (!symmetric) {
      g.right = call.output(2);
      const Shape &u = call.output_shape(1), &vh = call.output_shape(2);
      g.width = static_cast<int32_t>(g.rows < g.columns ? vh[vh.rank() - 2] : u[u.rank() - 1]);
    }
  }
  const int64_t bytes = eigen_svd_work(symmetric, longer, shorter) *
                        static_cast<int64_t>(size_of(call.step.outputs[0].type));
  const int64_t blocks = std::clamp<int64_t>(kMostWork / bytes, 1, g.count);
  g.work = call.kernels.workspace().get(call.flushed(), static_cast<size_t>(blocks * bytes));
  g.first_failure = call.kernels.first_wrong(call.stream);
  run_blocks(call, "eigen_svd", symmetric ? "eigh_" : "svd_", g, blocks);
  report_matrix(call, g.count, [](const std::string& matrix, int64_t failure) {
    return failure == kNotFinite ? not_finite(matrix) : not_converged(matrix);
  });
  return true;
}

}  // namespace tide::cuda
