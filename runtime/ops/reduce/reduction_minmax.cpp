// Minima, maxima and medians, and their positions.

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduce.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"

namespace tide {
namespace {

void check_elements(const char* op, const Tensor& x, unsigned dims) {
  if (reduced_count(x.shape(), dims) == 0) throw_no_elements(op, x.shape());
}

/// The positions of the values y among the elements of x along dim (kept, of size 1): the first
/// position that holds the value, or a nan, because y is nan if any element is.
Tensor first_position(const char* name, const Tensor& x, const Tensor& y, int dim) {
  const int64_t n = x.shape()[dim];
  Tensor found = record_map(ElementwiseOp::eq, name, DType::boolean, x.dtype(), {x, y});
  if (is_floating(x.dtype())) {
    const Tensor nan = record_map(ElementwiseOp::isnan, name, DType::boolean, x.dtype(), {x});
    found =
        record_map(ElementwiseOp::logical_or, name, DType::boolean, DType::boolean, {found, nan});
  }
  const Tensor positions = positions_along(x.rank(), dim, n, x.device());
  const Tensor candidates =
      record_map(ElementwiseOp::where, name, DType::i64, DType::i64, {found, positions, Number(n)});
  return reduce_raw(Reduction::min, name, candidates, 1u << dim, true);
}

/// Adds dy to the elements of x at `positions` along dim (kept, of size 1).
std::vector<Tensor> gradient_at(const Tensor& dy, const Tensor& positions, const Shape& shape,
                                int dim) {
  const Tensor selected =
      eq(positions_along(shape.rank(), dim, shape[dim], dy.device()), positions);
  return {where(selected, spread(dy, shape, 1u << dim), 0)};
}

/// Makes values (kept, without a grad function) and positions the results of one op on x, with its
/// gradient.
std::tuple<Tensor, Tensor> pick(const char* name, const Tensor& x, Tensor values, Tensor positions,
                                int dim, bool keepdim) {
  const Tensor kept_positions = positions;
  if (!keepdim) {
    const Shape shape = reduced_shape(x.shape(), 1u << dim, false);
    values = reshape_to(values, shape);
    positions = reshape_to(positions, shape);
  }
  if (needs_grad_fn(x)) {
    set_grad_fn(
        values, name, {x}, false,
        [=, shape = x.shape(), kept_positions = Saved(kept_positions)](const GradientCall& call) {
          return gradient_at(call.dy, kept_positions.get(), shape, dim);
        });
  }
  return {values, positions};
}

/// x, or for a 0-d tensor a vector of one element.
Tensor at_least_vector(const Tensor& x) { return x.rank() == 0 ? reshape_to(x, {1}) : x; }

std::tuple<Tensor, Tensor> minmax_along(const char* name, Reduction minmax, const Tensor& input,
                                        Dim dim, bool keepdim) {
  const int axis = resolve_dim(name, dim, input.rank());
  const Tensor x = at_least_vector(input);
  check_elements(name, x, 1u << axis);
  const Tensor values = reduce_raw(minmax, name, x, 1u << axis, true);
  const Tensor positions = first_position(name, x, values, axis);
  return pick(name, x, values, positions, axis, keepdim && input.rank() > 0);
}

Tensor minmax_position(const char* name, Reduction minmax, const Tensor& x, std::optional<Dim> dim,
                       bool keepdim) {
  check_numbers(name, x);  // positions of minima are not defined for bool
  if (!dim) {
    const Tensor flat = ravel(detach(x));
    check_elements(name, flat, 1);
    const Tensor y = first_position(name, flat, reduce_raw(minmax, name, flat, 1, true), 0);
    return reshape_to(y, reduced_shape(x.shape(), (1u << x.rank()) - 1, keepdim));
  }
  const Tensor rows = at_least_vector(detach(x));
  const int axis = resolve_dim(name, *dim, x.rank());
  check_elements(name, rows, 1u << axis);
  const Tensor y =
      first_position(name, rows, reduce_raw(minmax, name, rows, 1u << axis, true), axis);
  return reshape_to(y, reduced_shape(rows.shape(), 1u << axis, keepdim && x.rank() > 0));
}

/// The gradient of values that may occur several times: divided among equal elements.
Tensor shared_gradient(const Tensor& x, const Tensor& y, const Tensor& dy, unsigned dims) {
  Tensor chosen = eq(x, spread(y, x.shape(), dims));
  if (is_floating(x.dtype())) chosen = logical_or(chosen, isnan(x));
  const Tensor count = sum_over(chosen, dims, true);
  return where(chosen, share_among(reshape_to(dy, count.shape()), count), 0);
}

}  // namespace

Tensor minmax_over(const char* op, Reduction minmax, const Tensor& x, unsigned dims, bool keepdim) {
  check_elements(op, x, dims);
  const Tensor y = reduce_raw(minmax, op, x, dims, keepdim);
  if (needs_grad_fn(x)) {
    set_grad_fn(y, op, {x}, true,
                [dims, saved = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  return {shared_gradient(saved.get(), call.y, call.dy, dims)};
                });
  }
  return y;
}

Tensor amax(const Tensor& x, const OptionalDims& dims, bool keepdim) {
  return minmax_over("amax", Reduction::max, x, reduced_dims("amax", dims, x.rank()), keepdim);
}

Tensor amin(const Tensor& x, const OptionalDims& dims, bool keepdim) {
  return minmax_over("amin", Reduction::min, x, reduced_dims("amin", dims, x.rank()), keepdim);
}

Tensor max_all(const Tensor& x) {
  return minmax_over("max", Reduction::max, x, reduced_dims("max", {}, x.rank()), false);
}

Tensor min_all(const Tensor& x) {
  return minmax_over("min", Reduction::min, x, reduced_dims("min", {}, x.rank()), false);
}

std::tuple<Tensor, Tensor> aminmax(const Tensor& x, std::optional<Dim> dim, bool keepdim) {
  OptionalDims dims;
  if (dim) dims = Dims{dim->value};
  const unsigned reduced = reduced_dims("aminmax", dims, x.rank());
  return {minmax_over("aminmax", Reduction::min, x, reduced, keepdim),
          minmax_over("aminmax", Reduction::max, x, reduced, keepdim)};
}

std::tuple<Tensor, Tensor> max_along(const Tensor& x, Dim dim, bool keepdim) {
  return minmax_along("max", Reduction::max, x, dim, keepdim);
}

std::tuple<Tensor, Tensor> min_along(const Tensor& x, Dim dim, bool keepdim) {
  return minmax_along("min", Reduction::min, x, dim, keepdim);
}

Tensor argmax(const Tensor& x, std::optional<Dim> dim, bool keepdim) {
  return minmax_position("argmax", Reduction::max, x, dim, keepdim);
}

Tensor argmin(const Tensor& x, std::optional<Dim> dim, bool keepdim) {
  return minmax_position("argmin", Reduction::min, x, dim, keepdim);
}

std::tuple<Tensor, Tensor> median(const Tensor& input, Dim dim, bool keepdim) {
  const int axis = resolve_dim("median", dim, input.rank());
  check_numbers("median", input);
  const Tensor x = at_least_vector(input);
  check_elements("median", x, 1u << axis);
  auto [sorted, order] = sort(detach(x), Dim{axis});
  const int64_t n = x.shape()[axis], middle = (n - 1) / 2;
  Tensor values = slice(sorted, axis, middle, 1), positions = slice(order, axis, middle, 1);
  if (is_floating(x.dtype())) {
    // nan sorts to the end; if there is one, the median is nan, at the position of the first.
    const Tensor last = slice(sorted, axis, n - 1, 1);
    const Tensor nan = isnan(last);
    values = where(nan, last, values);
    positions = where(nan, argmax(detach(x), Dim{axis}, true), positions);
  }
  return pick("median", x, contiguous(values), contiguous(positions), axis,
              keepdim && input.rank() > 0);
}

Tensor median_all(const Tensor& x) {
  const Tensor flat = ravel(x);
  if (flat.numel() == 0 && is_floating(x.dtype())) return mean(flat);  // nan
  check_elements("median", flat, 1);
  Tensor y = std::get<0>(median(detach(flat), Dim{0}));
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "median", {flat}, true,
                [saved = Saved(flat)](const GradientCall& call) -> std::vector<Tensor> {
                  return {shared_gradient(saved.get(), call.y, call.dy, 1)};
                });
  }
  return y;
}

}  // namespace tide
