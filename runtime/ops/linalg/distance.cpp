// Distances between vectors: a compute op where it has a kernel, else one fused loop.
#include "runtime/ops/linalg/distance.h"

#include "runtime/autograd/autograd.h"
#include "runtime/device/registry.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/diagonals.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// The gradient of each distance `y` by its difference, for the gradient `dy`. At a distance of 0
/// it is 0, as in PyTorch.
Tensor slopes_of(const Tensor& y, const Tensor& dy) {
  const Tensor zero = eq(y, 0);
  return where(zero, 0, dy / where(zero, 1, y));
}

/// Euclidean distances between all rows of matrices without broadcasting, by a compute op.
Tensor row_distances(const Tensor& a, const Tensor& b) {
  const Tensor inputs[] = {contiguous(a), contiguous(b)};
  Shape shape = a.shape();
  shape[a.rank() - 1] = b.shape()[b.rank() - 2];
  const ComputeResult result{shape, a.dtype()};
  const Tensor y = record_compute(ComputeOp::distances, "cdist", inputs, {&result, 1}, {})[0];
  if (!needs_grad_fn(a) && !needs_grad_fn(b)) return y;
  set_grad_fn(y, "cdist", {a, b}, true,
              [a = Saved(a), b = Saved(b)](const GradientCall& call) -> std::vector<Tensor> {
                const Tensor share = slopes_of(call.y, call.dy);
                const auto slope = [](const Tensor& x, const Tensor& other, const Tensor& weights) {
                  return x * sum(weights, Dims{-1}, true) - matmul(weights, other);
                };
                std::vector<Tensor> result(2);
                if (call.needed[0]) result[0] = slope(a.get(), b.get(), share);
                if (call.needed[1]) result[1] = slope(b.get(), a.get(), matrix_transpose(share));
                return result;
              });
  return y;
}

/// Indices of the pairs of n rows, in the order of `pdist`, as a matrix (n, n) with 0 on its
/// diagonal.
Tensor pairs_as_matrix(const Tensor& values, int64_t n) {
  const Tensor rows = arange(0, Number(n), 1, {.dtype = DType::i64, .device = values.device()});
  const Tensor i = unsqueeze(rows, Dim{1}), low = minimum(i, rows), high = maximum(i, rows);
  // Of the rows before `low`, the first has n - 1 pairs, the next n - 2, ...
  const Tensor before = bitwise_right_shift(low * (Number(2 * n - 1) - low), Number(1));
  const Tensor on_diagonal = eq(low, high);
  const Tensor position = where(on_diagonal, 1, before + high - low);
  return where(on_diagonal, 0,
               reshape_to(lookup_along("pdist", values, 0, ravel(position)), {n, n}));
}

/// Euclidean distances of all pairs of rows, by a compute op.
Tensor pair_distances(const Tensor& x) {
  const int64_t n = x.shape()[0];
  const Tensor rows = contiguous(x);
  const ComputeResult result{{n * (n - 1) / 2}, x.dtype()};
  const Tensor y = record_compute(ComputeOp::distances, "pdist", {&rows, 1}, {&result, 1}, {})[0];
  if (!needs_grad_fn(x)) return y;
  set_grad_fn(y, "pdist", {x}, true,
              [x = Saved(x), n](const GradientCall& call) -> std::vector<Tensor> {
                const Tensor points = x.get();
                if (n < 2) return {zeros_like(points)};
                const Tensor share = pairs_as_matrix(slopes_of(call.y, call.dy), n);
                return {points * sum(share, Dims{-1}, true) - matmul(share, points)};
              });
  return y;
}

/// Whether the op for row distances has a kernel for them; else they are one fused loop.
bool suits_row_distances(const Tensor& a, const Tensor& b, double p) {
  const DType type = a.dtype();
  return p == 2 && type == b.dtype() && (type == DType::f32 || type == DType::f64) &&
         a.device() == b.device() && has_kernel(ComputeOp::distances, a.device());
}

}  // namespace

Tensor cdist(const Tensor& a, const Tensor& b, std::optional<double> p) {
  check_min_rank("cdist", a, 2);
  check_min_rank("cdist", b, 2);
  if (a.shape()[a.rank() - 1] != b.shape()[b.rank() - 1])
    throw ShapeError("cdist: the vectors have different sizes: " + a.shape().text() + " and " +
                     b.shape().text());
  check_non_negative("cdist", "p", p.value_or(2));
  if (suits_row_distances(a, b, p.value_or(2))) {
    Shape batch_a = a.shape(), batch_b = b.shape();
    batch_a[a.rank() - 2] = batch_b[b.rank() - 2] = 1;
    const Shape batch = broadcast("cdist", batch_a, batch_b);
    const auto matrices = [&](const Tensor& x) {
      Shape shape = batch;
      shape[shape.rank() - 2] = x.shape()[x.rank() - 2];
      return broadcast_to(x, shape);
    };
    return row_distances(matrices(a), matrices(b));
  }
  const Tensor gaps = unsqueeze(a, Dim{-2}) - unsqueeze(b, Dim{-3});
  return vector_norm(gaps, p.value_or(2), Dims{-1});
}

Tensor pdist(const Tensor& x, std::optional<double> p) {
  check_rank("pdist", x, 2);
  if (suits_row_distances(x, x, p.value_or(2))) return pair_distances(x);
  const int64_t n = x.shape()[0];
  const Tensor pairs = triu_indices(n, n, 1, {.dtype = DType::i64, .device = x.device()});
  const Tensor row = select(pairs, Dim{0}, Position{1}),
               column = select(pairs, Dim{0}, Position{2});
  return lookup_along("pdist", flatten(cdist(x, x, p)), 0, (row - 1) * Number(n) + column);
}

Tensor dist(const Tensor& a, const Tensor& b, std::optional<double> p) {
  return vector_norm(a - b, p.value_or(2));
}

}  // namespace tide
