// Integrals by the trapezoidal rule.
#include "runtime/ops/reduce/trapezoid.h"

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Distances between adjacent points along dim (the last), or the number dx.
TensorOrNumber spacing(const Tensor& y, const std::optional<Tensor>& x, std::optional<double> dx,
                       int axis) {
  if (!x) return dx.value_or(1);
  const Tensor gaps = diff(*x, 1, x->rank() == 1 ? Dim{0} : Dim{axis});
  if (x->rank() != 1) return gaps;
  Shape shape;
  for (int d = 0; d < y.rank(); ++d) shape.push_back(d == axis ? gaps.numel() : 1);
  return reshape_to(gaps, shape);
}

Tensor trapezoids(const char* op, const Tensor& y, const std::optional<Tensor>& x,
                  std::optional<double> dx, int axis) {
  check_min_rank(op, y, 1);
  if (x && dx) throw Error(std::string(op) + ": x and dx cannot be combined");
  const int64_t count = y.shape()[axis];
  if (count == 0) return y;
  const Tensor sums = slice(y, axis, 1, count - 1) + slice(y, axis, 0, count - 1);
  return sums * spacing(y, x, dx, axis) * 0.5;
}

}  // namespace

Tensor trapezoid(const Tensor& y, const std::optional<Tensor>& x, std::optional<double> dx,
                 std::optional<Dim> dim) {
  const int axis = resolve_dim("trapezoid", dim.value_or(Dim{-1}), y.rank());
  return sum(trapezoids("trapezoid", y, x, dx, axis), Dims{axis});
}

Tensor cumulative_trapezoid(const Tensor& y, const std::optional<Tensor>& x,
                            std::optional<double> dx, std::optional<Dim> dim) {
  const int axis = resolve_dim("cumulative_trapezoid", dim.value_or(Dim{-1}), y.rank());
  return cumsum(trapezoids("cumulative_trapezoid", y, x, dx, axis), Dim{axis});
}

}  // namespace tide
