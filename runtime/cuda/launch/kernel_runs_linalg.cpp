// The host's half of linear algebra. Matrices that are larger than a block is good for are the
// host's.
#include <algorithm>
#include <string>
#include <utility>

#include "runtime/cuda/launch/kernel_runs.h"
#include "runtime/ir/compute_failure.h"

namespace tide::cuda {
namespace {

static_assert(kSmallMatrixThreads % 32 == 0 && kMatrixThreads % 32 == 0);  // whole warps

MatrixStack stack_of(ComputeLaunch& call, size_t input) {
  const Layout& layout = call.input_layout(input);
  const int rank = layout.rank();
  MatrixStack stack{call.input(input), layout.strides[rank - 2], layout.strides[rank - 1], {}};
  std::copy_n(layout.strides.data(), rank - 2, stack.leading);
  return stack;
}

/// With the first input as `a`, and its sizes.
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
int64_t longer_side(ComputeLaunch& call) {
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

/// Reports to the host the first failure that the kernels before have noted; of the value that
/// stands there, unless that is null.
void report_failure(ComputeLaunch& call, const int32_t* values, Reports::Describe describe) {
  const Reports::Place place = call.reports.open(std::move(describe));
  call.report = place.number;
  ReportArguments g{call.kernels.first_wrong(call.stream), values, place.report};
  run(call, "linalg", "report_failure", g, 1, 1);
}

/// The same for a stack of `count` matrices; `text` says what is wrong with one.
void report_matrix(ComputeLaunch& call, int64_t count,
                   std::string (*text)(const std::string& matrix, int64_t failure)) {
  report_failure(call, nullptr, [count, text](int64_t failed) {
    return text(matrix_name(failed >> 32, count), failed & 0xffffffff);
  });
}

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

/// Eigenvalues of symmetric matrices, or singular values; without vectors if there is one output.
bool launch_eigen_svd(ComputeLaunch& call, const char* name) {
  // Blocks are many if the memory that they work with stays below this.
  constexpr int64_t kMostWork = 64 << 20;
  auto g = stack_arguments<EigenSvdArguments>(call);
  if (g.count == 0) return true;
  const int64_t shorter = std::min(g.rows, g.columns), longer = std::max(g.rows, g.columns);
  if (shorter == 0) return false;  // vectors without values
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
  run_blocks(call, "eigen_svd", name, g, blocks);
  report_matrix(call, g.count, [](const std::string& matrix, int64_t failure) {
    return failure == kNotFinite ? not_finite(matrix) : not_converged(matrix);
  });
  return true;
}

}  // namespace

bool launch_linalg(ComputeLaunch& call) {
  if (call.step.op == ComputeOp::pivot_rows) return launch_pivot_rows(call);
  if (call.step.op == ComputeOp::eigh || call.step.op == ComputeOp::svd)
    return longer_side(call) <= kLargestEigenSvd &&
           launch_eigen_svd(call, call.step.op == ComputeOp::eigh ? "eigh_" : "svd_");
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
