// Norms of vectors and matrices, and logsumexp.
#include <cmath>

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduce.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/dtype.h"

namespace tide {
namespace {

/// x to the power of e, by sqrt and square where possible, for accuracy.
Tensor power(const Tensor& x, double e) {
  if (e == 0.5) return sqrt(x);
  return e == 2 ? square(x) : pow(x, e);
}

/// The norm in the type of x; orders are special-cased only for speed, and for 0 and infinity.
Tensor norm_value(const Tensor& x, double order, unsigned dims, bool keepdim) {
  if (order == 0) return convert(sum_over(ne(x, 0), dims, keepdim), x.dtype());
  if (std::isinf(order)) {
    const Reduction minmax = order > 0 ? Reduction::max : Reduction::min;
    return minmax_over("norm", minmax, abs(x), dims, keepdim);
  }
  if (order == 1) return sum_over(abs(x), dims, keepdim);
  if (order == 2) return sqrt(sum_over(square(x), dims, keepdim));
  return power(sum_over(power(abs(x), order), dims, keepdim), 1 / order);
}
/// The gradient of the norm y of x; all have the same type, not a half type.
Tensor norm_gradient(const Tensor& x, const Tensor& y, const Tensor& dy, double order,
                     unsigned dims) {
  if (order == 0) return mul(x, 0);
  const Tensor slope = spread(dy, x.shape(), dims);
  if (order == 1) return sign(x) * slope;
  const Tensor norms = spread(y, x.shape(), dims);
  if (std::isinf(order)) {
    const Tensor chosen = eq(abs(x), norms);
    const Tensor count = convert(sum_over(chosen, dims, true), x.dtype());
    return where(chosen, sign(x) * (slope / count), 0);
  }
  // The gradient of a row of zeros is 0. Below order 1, so is that of each zero.
  const Tensor flat = eq(order < 1 ? x : norms, 0);
  if (order == 2) return where(flat, 0, x / norms * slope);
  const Tensor scale =
      order < 1 ? slope * power(norms, 1 - order) : slope / power(norms, order - 1);
  return where(flat, 0, sign(x) * power(abs(x), order - 1) * scale);
}

/// The norm over a set of dimensions, computed wide and rounded once.
Tensor norm_over(const char* name, const Tensor& x, double order, unsigned dims, bool keepdim) {
  check_floating(name, x.dtype());
  // All norms of one element except order 0 are exactly its absolute value.
  if (order != 0 && reduced_count(x.shape(), dims) == 1) order = 1;
  const DType type = compute_type(x.dtype());
  const bool differentiable = needs_grad_fn(x);
  Tensor y;
  {
    GradientMode off(false);
    y = convert(norm_value(convert(x, type), order, dims, keepdim), x.dtype());
  }
  if (differentiable) {
    set_grad_fn(y, name, {x}, true,
                [=, saved = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  const Tensor dx = norm_gradient(convert(saved.get(), type), convert(call.y, type),
                                                  convert(call.dy, type), order, dims);
                  return {convert(dx, saved.get().dtype())};
                });
  }
  return y;
}

}  // namespace

Tensor vector_norm(const Tensor& input, std::optional<double> order, const OptionalDims& dims,
                   bool keepdim, std::optional<DType> dtype) {
  const Tensor x = convert(input, dtype);
  return norm_over("norm", x, order.value_or(2), reduced_dims("norm", dims, x.rank()), keepdim);
}

Tensor logsumexp(const Tensor& input, const Dims& list, bool keepdim) {
  const Tensor x = convert(input, floating_type(input.dtype()));
  const unsigned dims = reduced_dims("logsumexp", list, x.rank());
  const DType type = compute_type(x.dtype());
  const bool differentiable = needs_grad_fn(x);
  Tensor y;
  {
    GradientMode off(false);
    const Tensor wide = convert(x, type);
    Tensor shifted = wide, shift;
    if (x.numel() > 0) {
      const Tensor top = minmax_over("logsumexp", Reduction::max, wide, dims, true);
      // Avoids inf - inf in rows whose maximum is infinite.
      shift = where(isinf(top), 0, top);
      shifted = wide - shift;
    }
    Tensor logarithm = log(sum_over(exp(shifted), dims, true));
    if (shift.defined()) logarithm = logarithm + shift;
    y = convert(reshape_to(logarithm, reduced_shape(x.shape(), dims, keepdim)), x.dtype());
  }
  if (differentiable) {
    set_grad_fn(y, "logsumexp", {x}, true,
                [=, saved = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  const Tensor share = exp(saved.get() - spread(call.y, saved.get().shape(), dims));
                  return {share * spread(call.dy, saved.get().shape(), dims)};
                });
  }
  return y;
}

Tensor renorm(const Tensor& x, double p, Dim dim, double largest) {
  check_min_rank("renorm", x, 2);
  check_positive("renorm", "p", p);
  check_non_negative("renorm", "maxnorm", largest);
  const int axis = resolve_dim("renorm", dim, x.rank());
  Dims others;
  for (int d = 0; d < x.rank(); ++d)
    if (d != axis) others.push_back(d);
  const DType type = compute_type(x.dtype());
  const Tensor norms = vector_norm(x, p, others, true, type);
  const Tensor factor = where(gt(norms, largest), largest / (norms + 1e-7), 1.0);
  return x * convert(factor, x.dtype());
}

}  // namespace tide
