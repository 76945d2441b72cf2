// Factorizations and solvers. The host handles matrices that are too large for one block.
#include <algorithm>

#include "runtime/cuda/launchers/launchers.h"
#include "runtime/cuda/launchers/matrix_stack.h"
#include "runtime/ir/compute_failure.h"

namespace tide::cuda {
namespace {

bool launch_lu(ComputeLaunch& call, LinalgArguments& g) {
  const bool singular_fails = unpack<LuAttributes>(call.step.attributes).singular_fails;
  if (call.output_shape(1).numel() == 0) return true;
  g.pivots = static_cast<int32_t*>(call.output(1));
  if (singular_fails) g.first_failure = call.kernels.first_wrong(call.stream);
  run_blocks(call, "linalg", "lu_", g, g.count);
  if (singular_fails) report_matrix(call, g.count, singular_matrix);
  return true;
}

/// `right`: the input that holds right-hand sides.
bool launch_solve(ComputeLaunch& call, const char* name, LinalgArguments& g, size_t right) {
  g.b = stack_of(call, right);
  const Shape& shape = call.output_shape(0);
  if (shape.numel() == 0) return true;
  g.b_columns = shape[shape.rank() - 1];
  run_blocks(call, "linalg", name, g, g.count * ((g.b_columns + kPanel - 1) / kPanel));
  return true;
}

bool launch_triangular(ComputeLaunch& call, LinalgArguments& g) {
  const auto attributes = unpack<TriangularAttributes>(call.step.attributes);
  g.upper = attributes.upper;
  g.unit = attributes.unitriangular;
  return launch_solve(call, "solve_triangular_", g, 1);
}

bool launch_factored(ComputeLaunch& call, LinalgArguments& g) {
  g.pivots = static_cast<int32_t*>(call.input(1));
  g.transposed = unpack<LuSolveAttributes>(call.step.attributes).transposed;
  return launch_solve(call, "lu_solve_", g, 2);
}

bool launch_cholesky(ComputeLaunch& call, LinalgArguments& g) {
  const bool reported = call.step.outputs.size() > 1;
  if (g.rows == 0 && !reported) return true;
  if (reported)
    g.info = static_cast<int32_t*>(call.output(1));
  else
    g.first_failure = call.kernels.first_wrong(call.stream);
  run_blocks(call, "linalg", "cholesky_", g, g.count);
  if (!reported && g.count) report_matrix(call, g.count, indefinite_matrix);
  return true;
}

bool launch_qr(ComputeLaunch& call, LinalgArguments& g) {
  const Shape& q = call.output_shape(0);
  g.r = call.output(1);
  g.width = static_cast<int32_t>(q[q.rank() - 1]);
  if (g.width) run_blocks(call, "linalg", "qr_", g, g.count);
  return true;
}

bool launch_pivot_rows(ComputeLaunch& call) {
  const Shape& pivots = call.input_layout(0).shape;
  PivotArguments g{};
  g.pivots = static_cast<const int32_t*>(call.input(0));
  g.order = static_cast<int64_t*>(call.output(0));
  g.swaps = pivots[pivots.rank() - 1];
  g.rows = unpack<PivotRowsAttributes>(call.step.attributes).rows;
  if (std::max(g.swaps, g.rows) > kLargestMatrix) return false;
  if (g.rows == 0) return true;
  g.count = call.output_shape(0).numel() / g.rows;
  if (g.count == 0) return true;
  g.first_failure = call.kernels.first_wrong(call.stream);
  run(call, "linalg", "pivot_rows", g, blocks_for(g.count), kElementThreads);
  report_failure(call, g.pivots,
                 [rows = g.rows](int64_t pivot) { return wrong_pivot(pivot, rows); });
  return true;
}

}  // namespace

bool launch_linalg(ComputeLaunch& call) {
  if (call.step.op == ComputeOp::pivot_rows) return launch_pivot_rows(call);
  if (longer_side(call) > kLargestMatrix) return false;
  auto g = stack_arguments<LinalgArguments>(call);
  g.out = call.output(0);
  switch (call.step.op) {
    case ComputeOp::lu:
      return launch_lu(call, g);
    case ComputeOp::lu_solve:
      return launch_factored(call, g);
    case ComputeOp::solve_triangular:
      return launch_triangular(call, g);
    case ComputeOp::cholesky:
      return launch_cholesky(call, g);
    case ComputeOp::qr:
      return launch_qr(call, g);
    default:
      return false;
  }
}

}  // namespace tide::cuda
