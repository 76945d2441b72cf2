// Scatter with reduction of elements at the same position: sums, means, products, minima, maxima.
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/device/registry.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// A call, with tensors of at least one dimension and the source trimmed to the index.
struct Scattering {
  const char* name;
  int dim;
  Tensor base, index, source;
  bool include_self;

  Tensor like_base(double value) const {
    return full(base.shape(), Number(value), {.dtype = base.dtype(), .device = base.device()});
  }
  Tensor like_source(double value) const {
    return full(source.shape(), Number(value), {.dtype = base.dtype(), .device = base.device()});
  }
  /// `onto` with `values` written or added at the index.
  Tensor put(const Tensor& onto, const Tensor& values, bool add) const {
    return scatter_along(name, onto, dim, index, values, add);
  }
  /// The base, with `identity` at the positions scattered to if the base is not included.
  Tensor start(double identity) const {
    return include_self ? base : put(base, like_source(identity), false);
  }
};

/// `onto` with the combined values at each position. The elements are sorted by position, and
/// combined in steps of 1, 2, 4, ... within a position; the last element of a position then
/// combines them all, and is written last.
template <class Combine>
Tensor put_combined(const Scattering& s, const Tensor& onto, Combine combine) {
  const Tensor order = argsort(s.index, Dim{s.dim}, false, true);
  const Tensor positions = lookup_along(s.name, s.index, s.dim, order);
  Tensor values = lookup_along(s.name, s.source, s.dim, order);
  const int64_t length = s.index.shape()[s.dim];
  for (int64_t step = 1; step < length; step *= 2) {
    const auto low = [&](const Tensor& x) { return slice(x, s.dim, 0, length - step); };
    const auto high = [&](const Tensor& x) { return slice(x, s.dim, step, length - step); };
    const Tensor joined = where(eq(high(positions), low(positions)),
                                combine(high(values), low(values)), high(values));
    values = cat({slice(values, s.dim, 0, step), joined}, Dim{s.dim});
  }
  if (needs_grad_fn(values) && length > 1) {
    // Only the last element of a position reaches the result: the others get no gradient from it.
    const auto neighbors = [&](int64_t first) {
      return slice(positions, s.dim, first, length - 1);
    };
    const Tensor last = slice(values, s.dim, length - 1, 1);
    const Tensor others = slice(values, s.dim, 0, length - 1);
    values = cat({where(ne(neighbors(0), neighbors(1)), others, detach(others)), last}, Dim{s.dim});
  }
  return scatter_along(s.name, onto, s.dim, positions, values, false);
}

Tensor mean_at(const Scattering& s) {
  const Tensor counts =
      s.put(s.include_self ? s.like_base(1) : s.like_base(0), s.like_source(1), true);
  const Tensor sums = s.put(s.start(0), s.source, true);
  const auto mode = is_floating(s.base.dtype()) ? std::optional<std::string>() : "floor";
  return div(sums, clamp_min(counts, Number(int64_t(1))), mode);
}

/// The minima or maxima at each position, without a grad function.
Tensor minmax_of(const Scattering& s, bool max) {
  if (has_kernel(ComputeOp::scatter_minmax, s.base.device())) {
    const DType type = s.base.dtype();
    Tensor start = s.base;
    if (!s.include_self) {
      // Scattered values are then combined with the identity of min or max.
      const Number end = max ? lowest(type) : highest(type);
      start = s.put(s.base, full(s.source.shape(), end, {.dtype = type, .device = start.device()}),
                    false);
    }
    const Tensor inputs[] = {contiguous(start), s.index, s.source};
    const ComputeResult result{s.base.shape(), type};
    const auto attributes = pack(MinmaxAttributes{s.dim, max});
    return record_compute(ComputeOp::scatter_minmax, s.name, inputs, {&result, 1}, attributes)[0];
  }
  const auto combine = [max](const Tensor& a, const Tensor& b) {
    return max ? maximum(a, b) : minimum(a, b);
  };
  const Tensor best = put_combined(s, s.base, combine);
  return s.include_self ? combine(best, s.base) : best;
}

/// The minima or maxima at each position; elements equal to one share its gradient.
Tensor minmax_at(const Scattering& s, bool max) {
  Tensor best;
  {
    GradientMode off(false);
    best = minmax_of(s, max);
  }
  if (needs_grad_fn(s.base) || needs_grad_fn(s.source)) {
    set_grad_fn(
        best, s.name, {s.base, s.source}, false,
        [s, base = Saved(s.base), source = Saved(s.source), index = Saved(s.index),
         value = Saved(best)](const GradientCall& call) -> std::vector<Tensor> {
          const Tensor y = value.get(), zero = s.like_base(0);
          const Tensor reached = eq(source.get(), gather_along(s.name, y, s.dim, index.get()));
          const Tensor base_reached =
              s.include_self
                  ? eq(base.get(), y)
                  : eq(scatter_along(s.name, zero, s.dim, index.get(), s.like_source(1), false),
                       Number(int64_t(0)));
          const Tensor sharing = scatter_along(s.name, convert(base_reached, s.base.dtype()), s.dim,
                                               index.get(), convert(reached, s.base.dtype()), true);
          const Tensor share = div(call.dy, sharing);
          return {where(base_reached, share, zero),
                  where(reached, gather_along(s.name, share, s.dim, index.get()), Number(0.0))};
        });
  }
  return best;
}

Tensor reduce_at(const Scattering& s, const std::string& reduce) {
  switch (choose(s.name, "reduce", reduce, {"sum", "prod", "mean", "amax", "amin"})) {
    case 0:
      return s.put(s.start(0), s.source, true);
    case 1: {
      const Tensor products = put_combined(
          s, s.like_base(1), [](const Tensor& a, const Tensor& b) { return mul(a, b); });
      return mul(s.start(1), products);
    }
    case 2:
      return mean_at(s);
    default:
      return minmax_at(s, reduce == "amax");
  }
}

}  // namespace

Tensor scatter_reduce(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source,
                      const std::string& reduce, std::optional<bool> include_self) {
  const int axis = resolve_dim("scatter_reduce", dim, x.rank());
  check_index("scatter_reduce", x, index, axis);
  check_source("scatter_reduce", x, index, source);
  const Tensor at = as_vector(positions_of("scatter_reduce", index));
  const Scattering s{
      "scatter_reduce",           axis, as_vector(x), at, trim(as_vector(source), at.shape()),
      include_self.value_or(true)};
  if (index.numel() == 0) return clone(x);
  return reshape_to(reduce_at(s, reduce), x.shape());
}

Tensor index_reduce(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source,
                    const std::string& reduce, std::optional<bool> include_self) {
  const int axis = resolve_dim("index_reduce", dim, x.rank());
  const Tensor vector = as_vector(positions_of("index_reduce", index));
  if (vector.rank() != 1 || as_vector(source).shape()[axis] != vector.numel())
    throw ShapeError("index_reduce: an index of shape " + index.shape().text() +
                     " does not fit a source of " + source.shape().text());
  const Tensor at = spread_index(vector, as_vector(source).shape(), axis);
  return scatter_reduce(x, dim, x.rank() == 0 ? reshape_to(at, {}) : at, source, reduce,
                        include_self);
}

}  // namespace tide
