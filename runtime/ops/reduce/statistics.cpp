// Quantiles, medians and modes.
#include "runtime/ops/reduce/statistics.h"

#include <limits>

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/dtype.h"

namespace tide {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The quantiles q as a vector of x's type on x's device; a number is a vector of one.
Tensor quantiles_as_vector(const char* op, const Tensor& x, const TensorOrNumber& q) {
  if (!q.tensor.defined()) {
    const double fraction = q.number.as_double();
    check_between(op, "q", fraction, 0, 1);
    return full({1}, fraction, {.dtype = x.dtype(), .device = x.device()});
  }
  check_max_rank(op, q.tensor, 1, "q");
  check_same_type(op, x.dtype(), q.tensor.dtype());
  return reshape_to(q.tensor, {q.tensor.numel()});
}

/// Interpolates the sorted rows at a fractional index, counted from 0.
Tensor interpolated(const Tensor& sorted, const Tensor& index, const std::string& way,
                    const char* op) {
  const auto value_at = [&](const Tensor& index) {
    return gather(sorted, Dim{-1}, convert(index, DType::i64) + 1);
  };
  enum { kLinear, kLower, kHigher, kMidpoint, kNearest };
  const int kind =
      choose(op, "interpolation", way, {"linear", "lower", "higher", "midpoint", "nearest"});
  if (kind == kLower) return value_at(floor(index));
  if (kind == kHigher) return value_at(ceil(index));
  if (kind == kNearest) return value_at(round(index));
  const Tensor low = value_at(floor(index)), high = value_at(ceil(index));
  return kind == kMidpoint ? lerp(low, high, 0.5) : lerp(low, high, index - floor(index));
}

Tensor quantile_of(const char* op, const Tensor& x, const TensorOrNumber& q,
                   std::optional<Dim> given_dim, bool keepdim,
                   const std::optional<std::string>& interpolation, bool skip_nan) {
  check_float32_or_float64(op, x.dtype());
  check_has_elements(op, x);
  const Tensor quantiles = quantiles_as_vector(op, x, q);
  const bool several = q.tensor.defined() && q.tensor.rank() == 1;
  const int axis = given_dim ? resolve_dim(op, *given_dim, x.rank()) : 0;
  const bool dim = given_dim && x.rank() > 0;
  const Tensor rows = dim ? movedim(x, Dims{axis}, Dims{-1}) : flatten(x);
  const Tensor sorted = std::get<0>(sort(rows, Dim{-1}, false));  // nans come last
  const Tensor missing = convert(sum(isnan(rows), Dims{-1}, true), x.dtype());
  const int64_t length = rows.shape()[rows.rank() - 1];
  const Tensor last = skip_nan ? clamp_min(Number(length - 1) - missing, Number(0.0))
                               : zeros_like(missing) + static_cast<double>(length - 1);
  Tensor result = interpolated(sorted, last * quantiles, interpolation.value_or("linear"), op);
  if (!skip_nan) result = where(gt(missing, 0), kNan, result);
  // (..., quantiles) -> (quantiles, ...), with the reduced dimension where it was.
  if (keepdim) {
    if (dim) {
      result = movedim(unsqueeze(result, Dim{-2}), Dims{-2}, Dims{axis});
    } else {
      Shape shape;
      for (int d = 0; d < x.rank(); ++d) shape.push_back(1);
      shape.push_back(quantiles.numel());
      result = reshape_to(result, shape);
    }
  }
  return several ? movedim(result, Dims{-1}, Dims{0}) : squeeze(result, Dims{-1});
}

/// Positions 1, 2, ... along the last dimension of x.
Tensor positions_of_last(const Tensor& x) {
  const int last = x.rank() - 1;
  return positions_along(x.rank(), last, x.shape()[last], x.device());
}

}  // namespace

Tensor quantile(const Tensor& x, const TensorOrNumber& q, std::optional<Dim> dim, bool keepdim,
                const std::optional<std::string>& interpolation) {
  return quantile_of("quantile", x, q, dim, keepdim, interpolation, false);
}

Tensor nanquantile(const Tensor& x, const TensorOrNumber& q, std::optional<Dim> dim, bool keepdim,
                   const std::optional<std::string>& interpolation) {
  return quantile_of("nanquantile", x, q, dim, keepdim, interpolation, true);
}

Tensor nanmean(const Tensor& x, const OptionalDims& dims, bool keepdim,
               std::optional<DType> dtype) {
  const DType type = dtype.value_or(x.dtype());
  check_floating("nanmean", type);
  // f16 cannot hold sums or counts above 65504.
  const Tensor wide = convert(convert(x, type), compute_type(type));
  const Tensor count = sum(logical_not(isnan(wide)), dims, keepdim);
  return convert(nansum(wide, dims, keepdim) / convert(count, wide.dtype()), type);
}

Tensor nanmedian_all(const Tensor& x) { return std::get<0>(nanmedian(flatten(x), Dim{0})); }

std::tuple<Tensor, Tensor> nanmedian(const Tensor& input, Dim dim, bool keepdim) {
  const int axis = resolve_dim("nanmedian", dim, input.rank());
  const Tensor x = input.rank() == 0 ? reshape_to(input, {1}) : input;
  if (x.shape()[axis] == 0) throw_no_elements("nanmedian", x.shape());
  const auto [sorted, order] = sort(x, Dim{axis}, false);
  const Tensor present = is_floating(x.dtype()) ? sum(logical_not(isnan(x)), Dims{axis}, true)
                                                : sum(eq(x, x), Dims{axis}, true);
  const Tensor middle = clamp_min(floor_divide(present + 1, 2), Number(1));
  Tensor values = gather(sorted, Dim{axis}, middle);
  Tensor positions = gather(order, Dim{axis}, middle);
  if (!keepdim || input.rank() == 0) {
    values = squeeze(values, Dims{axis});
    positions = squeeze(positions, Dims{axis});
  }
  return {values, positions};
}

std::tuple<Tensor, Tensor> mode(const Tensor& input, std::optional<Dim> dim, bool keepdim) {
  const int axis = resolve_dim("mode", dim.value_or(Dim{-1}), input.rank());
  const Tensor whole = input.rank() == 0 ? reshape_to(input, {1}) : input;
  const Tensor x = movedim(whole, Dims{axis}, Dims{-1});
  const int last = x.rank() - 1;
  const int64_t length = x.shape()[last];
  if (length == 0) throw_no_elements("mode", input.shape());
  const auto [sorted, order] = sort(x, Dim{-1}, false, true);
  // Each run of equal values begins where a value differs from the previous one.
  Tensor begins = ones_like(slice(sorted, last, 0, 1), {.dtype = DType::boolean, .device = {}});
  if (length > 1)
    begins =
        cat({begins, ne(slice(sorted, last, 1, length - 1), slice(sorted, last, 0, length - 1))},
            Dim{-1});
  const Tensor positions = positions_of_last(sorted);
  const Tensor start = std::get<0>(cummax(where(begins, positions, 0), Dim{-1}));
  const Tensor best = argmax(positions - start, Dim{-1}, true);
  const auto result_of = [&](const Tensor& y) {
    const Tensor back = movedim(gather(y, Dim{-1}, best), Dims{-1}, Dims{axis});
    return keepdim && input.rank() > 0 ? back : squeeze(back, Dims{axis});
  };
  return {result_of(sorted), result_of(order)};
}

}  // namespace tide
