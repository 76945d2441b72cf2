// Scans: cumsum, cumprod, cummax, cummin, logcumsumexp, diff.
#include "runtime/ops/reduce/scan.h"

#include <limits>

#include "runtime/autograd/autograd.h"
#include "runtime/device/registry.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"

namespace tide {
namespace {

/// x in the requested type; without one, integers and bool are converted to i64.
Tensor scan_input(const Tensor& x, std::optional<DType> dtype) {
  return convert(x, dtype.value_or(is_floating(x.dtype()) ? x.dtype() : DType::i64));
}

Tensor record_scan(ComputeOp op, const char* name, const Tensor& x, int dim) {
  const Tensor dense = contiguous(x);
  const ComputeResult result{x.shape(), x.dtype()};
  const auto attributes = pack(DimAttributes{dim});
  return record_compute(op, name, {&dense, 1}, {&result, 1}, attributes)[0];
}

/// Cumulative sums from the first element, or backwards from the last.
Tensor running_sum(const Tensor& x, int dim, bool from_end) {
  Tensor y;
  {
    GradientMode off(false);
    const Dims along{dim};
    y = from_end ? flip(record_scan(ComputeOp::cumsum, "cumsum", flip(x, along), dim), along)
                 : record_scan(ComputeOp::cumsum, "cumsum", x, dim);
  }
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "cumsum", {x}, false, [=](const GradientCall& call) -> std::vector<Tensor> {
      return {running_sum(call.dy, dim, !from_end)};
    });
  }
  return y;
}

Tensor running_product(const Tensor& x, int dim);

/// dx_k = sum over j >= k of dy_j * y_j / x_k. Up to the first zero this holds as it is. From there
/// on y is 0, and only the zero itself has a gradient: the products without it.
Tensor product_gradient(const Tensor& x, const Tensor& dy, int dim) {
  if (!GradientMode::enabled() && has_kernel(ComputeOp::cumprod_backward, x.device())) {
    const Tensor inputs[] = {contiguous(x), contiguous(dy)};
    const ComputeResult result{x.shape(), x.dtype()};
    const auto attributes = pack(DimAttributes{dim});
    return record_compute(ComputeOp::cumprod_backward, "cumprod", inputs, {&result, 1},
                          attributes)[0];
  }
  const Tensor zero = eq(x, 0);
  const Tensor zeros_before = running_sum(convert(zero, DType::i64), dim, false);
  const Tensor safe = where(zero, 1, x);
  const Tensor product = running_product(safe, dim);
  // Terms before any zero, over x; and terms with exactly one, which belong to that zero.
  const Tensor none = where(eq(zeros_before, 0), product * dy, 0);
  const Tensor one = where(eq(zeros_before, 1), product * dy, 0);
  const Tensor first_zero = logical_and(zero, eq(zeros_before, 1));
  return where(first_zero, running_sum(one, dim, true), running_sum(none, dim, true) / safe);
}

Tensor running_product(const Tensor& x, int dim) {
  const Tensor y = record_scan(ComputeOp::cumprod, "cumprod", x, dim);
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "cumprod", {x}, false,
                [dim, x = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  return {product_gradient(x.get(), call.dy, dim)};
                });
  }
  return y;
}

/// log of cumulative sums of exp. Iterations add the elements 1, 2, 4, ... positions before, so
/// that no term is lost to a larger one that comes later.
Tensor running_log_sum(const Tensor& x, int dim) {
  Tensor y = x;
  {
    GradientMode off(false);
    const int64_t length = x.shape()[dim];
    for (int64_t step = 1; step < length; step *= 2) {
      const Tensor later = slice(y, dim, step, length - step);
      const Tensor earlier = slice(y, dim, 0, length - step);
      y = cat({slice(y, dim, 0, step), logaddexp(later, earlier)}, Dim{dim});
    }
    if (length <= 1) y = clone(x);
  }
  if (needs_grad_fn(x)) {
    // dx_k = sum over j >= k of dy_j exp(x_k - y_j), the terms of either sign added as logarithms.
    set_grad_fn(y, "logcumsumexp", {x}, true,
                [dim, x = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  const double lowest = -std::numeric_limits<double>::infinity();
                  const Dims along{dim};
                  const auto part = [&](const Tensor& dy) {
                    const Tensor present = logical_and(gt(dy, 0), ne(call.y, lowest));
                    const Tensor terms =
                        where(present, log(where(present, dy, 1)) - call.y, lowest);
                    return exp(flip(running_log_sum(flip(terms, along), dim), along) + x.get());
                  };
                  return {part(call.dy) - part(neg(call.dy))};
                });
  }
  return y;
}

std::tuple<Tensor, Tensor> running_minmax(const char* name, const Tensor& input, Dim dim,
                                          bool largest) {
  const int axis = resolve_dim(name, dim, input.rank());
  const Tensor x = as_vector(input);
  if (x.numel() == 0)
    return {clone(input), zeros(input.shape(), {.dtype = DType::i64, .device = x.device()})};
  const Tensor dense = contiguous(x);
  const ComputeResult results[] = {{x.shape(), x.dtype()}, {x.shape(), DType::i64}};
  const auto attributes = pack(MinmaxAttributes{axis, largest});
  auto outputs =
      record_compute(ComputeOp::cumulative_minmax, name, {&dense, 1}, results, attributes);
  if (needs_grad_fn(dense)) {
    set_grad_fn(
        outputs[0], name, {dense}, false,
        [=, positions = Saved(outputs[1])](const GradientCall& call) -> std::vector<Tensor> {
          const Tensor base =
              zeros(call.dy.shape(), {.dtype = call.dy.dtype(), .device = call.dy.device()});
          return {scatter_along(name, base, axis, positions.get(), call.dy, true)};
        });
  }
  return {reshape_to(outputs[0], input.shape()), reshape_to(outputs[1], input.shape())};
}

}  // namespace

Tensor cumsum(const Tensor& input, Dim dim, std::optional<DType> dtype) {
  const int axis = resolve_dim("cumsum", dim, input.rank());
  const Tensor x = scan_input(input, dtype);
  return reshape_to(running_sum(as_vector(x), axis, false), x.shape());
}

Tensor cumprod(const Tensor& input, Dim dim, std::optional<DType> dtype) {
  const int axis = resolve_dim("cumprod", dim, input.rank());
  const Tensor x = scan_input(input, dtype);
  return reshape_to(running_product(as_vector(x), axis), x.shape());
}

std::tuple<Tensor, Tensor> cummax(const Tensor& x, Dim dim) {
  return running_minmax("cummax", x, dim, true);
}

std::tuple<Tensor, Tensor> cummin(const Tensor& x, Dim dim) {
  return running_minmax("cummin", x, dim, false);
}

Tensor logcumsumexp(const Tensor& input, Dim dim) {
  const int axis = resolve_dim("logcumsumexp", dim, input.rank());
  check_floating("logcumsumexp", input.dtype());
  const Tensor x = as_vector(convert(input, compute_type(input.dtype())));
  return convert(reshape_to(running_log_sum(x, axis), input.shape()), input.dtype());
}

Tensor diff(const Tensor& x, std::optional<int64_t> n, std::optional<Dim> dim,
            const std::optional<Tensor>& prepend, const std::optional<Tensor>& append) {
  check_min_rank("diff", x, 1);
  check_least("diff", "n", n.value_or(1), 0);
  const int axis = resolve_dim("diff", dim.value_or(Dim{-1}), x.rank());
  std::vector<Tensor> parts{x};
  if (prepend) parts.insert(parts.begin(), *prepend);
  if (append) parts.push_back(*append);
  for (const Tensor& part : parts) check_same_rank("diff", x, part);
  Tensor y = n == 0 || parts.size() == 1 ? x : cat(parts, Dim{axis});
  for (int64_t i = 0; i < n.value_or(1) && y.shape()[axis] > 0; ++i) {
    const int64_t count = y.shape()[axis] - 1;
    const Tensor later = slice(y, axis, 1, count), earlier = slice(y, axis, 0, count);
    y = y.dtype() == DType::boolean ? logical_xor(later, earlier) : later - earlier;
  }
  return unshared(y, x);
}

}  // namespace tide
