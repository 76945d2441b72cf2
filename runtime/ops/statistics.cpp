// Statistics and searches.
#include "runtime/ops/statistics.h"

#include <cmath>
#include <limits>

#include "runtime/core/error.h"
#include "runtime/ops/autograd.h"
#include "runtime/ops/creation.h"
#include "runtime/ops/elementwise.h"
#include "runtime/ops/indexing.h"
#include "runtime/ops/joining.h"
#include "runtime/ops/matrix.h"
#include "runtime/ops/scan.h"
#include "runtime/ops/shape_ops.h"

namespace tide {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void check_floating(const char* op, const Tensor& x) {
  if (x.dtype() != DType::f32 && x.dtype() != DType::f64)
    throw DTypeError(std::string(op) +
                     ": float32 or float64 is needed: " + std::string(name_of(x.dtype())));
}

/// The shares as a vector of x's type on x's device; one number is one share.
Tensor shares(const char* op, const Tensor& x, const TensorOrNumber& q) {
  if (!q.tensor.defined()) {
    const double share = q.number.as_double();
    if (!(share >= 0 && share <= 1))
      throw Error(std::string(op) + ": a share lies between 0 and 1: got " + std::to_string(share));
    return full({1}, share, {.dtype = x.dtype(), .device = x.device()});
  }
  if (q.tensor.rank() > 1)
    throw ShapeError(std::string(op) + ": q has at most 1 dimension: " + q.tensor.shape().text());
  if (q.tensor.dtype() != x.dtype())
    throw DTypeError(std::string(op) +
                     ": q must have the type of x: " + std::string(name_of(q.tensor.dtype())) +
                     " and " + std::string(name_of(x.dtype())));
  return reshape_to(q.tensor, {q.tensor.numel()});
}

/// The place (from 0, perhaps between two) in the sorted row; of which two values, and how far
/// between them.
Tensor between(const Tensor& sorted, const Tensor& place, const std::string& way, const char* op) {
  const auto value_at = [&](const Tensor& index) {
    return gather(sorted, Dim{-1}, convert(index, DType::i64) + 1);
  };
  if (way == "lower") return value_at(floor(place));
  if (way == "higher") return value_at(ceil(place));
  if (way == "nearest") return value_at(round(place));
  const Tensor low = value_at(floor(place)), high = value_at(ceil(place));
  if (way == "midpoint") return lerp(low, high, 0.5);
  if (way == "linear") return lerp(low, high, place - floor(place));
  throw Error(std::string(op) +
              ": interpolation is linear, lower, higher, midpoint or nearest: got " + way);
}

Tensor quantile_of(const char* op, const Tensor& x, const TensorOrNumber& q,
                   std::optional<Dim> given_dim, bool keepdim,
                   const std::optional<std::string>& interpolation, bool skip_nan) {
  check_floating(op, x);
  if (x.numel() == 0) throw ShapeError(std::string(op) + ": there are no elements");
  const Tensor wanted = shares(op, x, q);
  const bool several = q.tensor.defined() && q.tensor.rank() == 1;
  const int place = given_dim ? resolve_dim(op, *given_dim, x.rank()) : 0;
  const bool dim = given_dim && x.rank() > 0;
  const Tensor rows = dim ? movedim(x, Dims{place}, Dims{-1}) : flatten(x);
  const Tensor sorted = std::get<0>(sort(rows, Dim{-1}, false));  // nans come last
  const Tensor missing = convert(sum(isnan(rows), Dims{-1}, true), x.dtype());
  const int64_t length = rows.shape()[rows.rank() - 1];
  const Tensor last = skip_nan ? clamp_min(Number(length - 1) - missing, Number(0.0))
                               : zeros_like(missing) + static_cast<double>(length - 1);
  Tensor result = between(sorted, last * wanted, interpolation.value_or("linear"), op);
  if (!skip_nan) result = where(gt(missing, 0), kNan, result);
  // (..., shares) -> (shares, ...), with the reduced dimension where it was.
  if (keepdim) {
    if (dim) {
      result = movedim(unsqueeze(result, Dim{-2}), Dims{-2}, Dims{place});
    } else {
      Shape shape;
      for (int d = 0; d < x.rank(); ++d) shape.push_back(1);
      shape.push_back(wanted.numel());
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

Tensor joined(const Tensor& a, const Tensor& b) { return cat({a, b}, Dim{-1}); }

/// For each value how many elements of the sorted rows are less (with `right`: not greater): their
/// order in one row tells.
Tensor count_before(const Tensor& sorted, const Tensor& values, bool right) {
  const int64_t n = sorted.shape()[sorted.rank() - 1];
  const int64_t m = values.shape()[values.rank() - 1];
  // A stable order puts values in front of equal elements, or behind them.
  const Tensor all = right ? joined(sorted, values) : joined(values, sorted);
  const Tensor order = std::get<1>(sort(all, Dim{-1}, false, true));
  const Tensor is_element = right ? le(order, Number(n)) : gt(order, Number(m));
  const Tensor counts = cumsum(is_element, Dim{-1});
  const Tensor placed = scatter(zeros_like(counts), Dim{-1}, order, counts);
  return slice(placed, placed.rank() - 1, right ? n : 0, m);
}

/// Distances between neighbouring places along dim (the last), or the number dx.
TensorOrNumber spacing(const Tensor& y, const std::optional<Tensor>& x, std::optional<double> dx,
                       int place) {
  if (!x) return dx.value_or(1);
  const Tensor gaps = diff(*x, 1, x->rank() == 1 ? Dim{0} : Dim{place});
  if (x->rank() != 1) return gaps;
  Shape shape;
  for (int d = 0; d < y.rank(); ++d) shape.push_back(d == place ? gaps.numel() : 1);
  return reshape_to(gaps, shape);
}

Tensor trapezoids(const char* op, const Tensor& y, const std::optional<Tensor>& x,
                  std::optional<double> dx, int place) {
  if (y.rank() == 0) throw ShapeError(std::string(op) + ": at least 1 dimension is needed");
  if (x && dx) throw Error(std::string(op) + ": x and dx exclude each other");
  const int64_t count = y.shape()[place];
  if (count == 0) return y;
  const Tensor sums = slice(y, place, 1, count - 1) + slice(y, place, 0, count - 1);
  return sums * spacing(y, x, dx, place) * 0.5;
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
  const Tensor wide = dtype ? convert(x, *dtype) : x;
  if (!is_floating(wide.dtype()))
    throw DTypeError("nanmean: a floating type is needed: " + std::string(name_of(x.dtype())));
  const Tensor count = sum(logical_not(isnan(wide)), dims, keepdim);
  return nansum(wide, dims, keepdim) / convert(count, wide.dtype());
}

Tensor nanmedian_all(const Tensor& x) { return std::get<0>(nanmedian(flatten(x), Dim{0})); }

std::tuple<Tensor, Tensor> nanmedian(const Tensor& input, Dim dim, bool keepdim) {
  const int place = resolve_dim("nanmedian", dim, input.rank());
  const Tensor x = input.rank() == 0 ? reshape_to(input, {1}) : input;
  if (x.shape()[place] == 0) throw ShapeError("nanmedian: there are no elements");
  const auto [sorted, order] = sort(x, Dim{place}, false);
  const Tensor present = is_floating(x.dtype()) ? sum(logical_not(isnan(x)), Dims{place}, true)
                                                : sum(eq(x, x), Dims{place}, true);
  const Tensor middle = clamp_min(floor_divide(present + 1, 2), Number(1));
  Tensor values = gather(sorted, Dim{place}, middle);
  Tensor positions = gather(order, Dim{place}, middle);
  if (!keepdim || input.rank() == 0) {
    values = squeeze(values, Dims{place});
    positions = squeeze(positions, Dims{place});
  }
  return {values, positions};
}

std::tuple<Tensor, Tensor> mode(const Tensor& input, std::optional<Dim> dim, bool keepdim) {
  const int place = resolve_dim("mode", dim.value_or(Dim{-1}), input.rank());
  const Tensor whole = input.rank() == 0 ? reshape_to(input, {1}) : input;
  const Tensor x = movedim(whole, Dims{place}, Dims{-1});
  const int last = x.rank() - 1;
  const int64_t length = x.shape()[last];
  if (length == 0) throw ShapeError("mode: there are no elements");
  const auto [sorted, order] = sort(x, Dim{-1}, false, true);
  // Each run of equal values begins where a value differs from the one before.
  Tensor begins = ones_like(slice(sorted, last, 0, 1), {.dtype = DType::boolean, .device = {}});
  if (length > 1)
    begins =
        cat({begins, ne(slice(sorted, last, 1, length - 1), slice(sorted, last, 0, length - 1))},
            Dim{-1});
  const Tensor own = positions_of_last(sorted);
  const Tensor start = std::get<0>(cummax(where(begins, own, 0), Dim{-1}));
  const Tensor best = argmax(own - start, Dim{-1}, true);
  const auto settle = [&](const Tensor& y) {
    const Tensor back = movedim(gather(y, Dim{-1}, best), Dims{-1}, Dims{place});
    return keepdim && input.rank() > 0 ? back : squeeze(back, Dims{place});
  };
  return {settle(sorted), settle(order)};
}

Tensor cov(const Tensor& input, std::optional<int64_t> correction) {
  check_numbers("cov", input);
  if (input.rank() > 2)
    throw ShapeError("cov: at most 2 dimensions are possible: " + input.shape().text());
  Tensor x = is_floating(input.dtype()) ? input : convert(input, DType::f32);
  if (x.rank() < 2) x = reshape_to(x, {1, x.numel()});
  const double count = static_cast<double>(x.shape()[1]);
  const Tensor centred = x - mean(x, Dims{1}, true);
  const double divisor = std::max(0.0, count - static_cast<double>(correction.value_or(1)));
  const Tensor result = matmul(centred, matrix_transpose(centred)) / divisor;
  return result.numel() == 1 ? reshape_to(result, {}) : result;
}

Tensor corrcoef(const Tensor& x) {
  check_numbers("corrcoef", x);
  const Tensor c = cov(x);
  if (c.rank() == 0) return c / c;
  const Tensor deviation = sqrt(diagonal(c));
  const Tensor scaled = c / unsqueeze(deviation, Dim{1}) / deviation;
  return clamp(scaled, TensorOrNumber(-1.0), TensorOrNumber(1.0));
}

std::tuple<Tensor, Tensor> histogram(const Tensor& x, int64_t bins,
                                     const std::optional<std::vector<double>>& range,
                                     const std::optional<Tensor>& weight, bool density) {
  const char* op = "histogram";
  if (!is_floating(x.dtype()))
    throw DTypeError("histogram: a floating type is needed: " + std::string(name_of(x.dtype())));
  if (bins < 1) throw Error("histogram: bins is 1 or more: got " + std::to_string(bins));
  if (range && range->size() != 2) throw Error("histogram: the range is two numbers");
  if (weight && !(weight->shape() == x.shape()))
    throw ShapeError("histogram: weights of shape " + weight->shape().text() + " do not fit " +
                     x.shape().text());
  GradientMode off(false);
  double ends[2] = {0, 0};
  if (range)
    std::copy(range->begin(), range->end(), ends);
  else if (x.numel() > 0)
    convert(stack({min_all(x), max_all(x)}), DType::f64).read(ends, op);
  if (!(ends[0] <= ends[1]) || !std::isfinite(ends[0]) || !std::isfinite(ends[1]))
    throw Error("histogram: the range is not finite, or its ends are in the wrong order: " +
                std::to_string(ends[0]) + " and " + std::to_string(ends[1]));
  if (ends[0] == ends[1]) ends[0] -= 0.5, ends[1] += 0.5;
  const Tensor flat = flatten(x);
  const double width = (ends[1] - ends[0]) / static_cast<double>(bins);
  const Tensor inside = logical_and(ge(flat, ends[0]), le(flat, ends[1]));
  // The last bin includes its upper end.
  const Tensor bin = clamp(floor((convert(flat, DType::f64) - ends[0]) / width),
                           TensorOrNumber(0.0), TensorOrNumber(static_cast<double>(bins - 1)));
  const Tensor places = convert(where(inside, bin, 0.0), DType::i64) + 1;
  const Tensor ones_of = weight ? flatten(convert(*weight, x.dtype())) : ones_like(flat);
  const Tensor counts =
      scatter_add(new_zeros(x, {bins}), Dim{0}, places, where(inside, ones_of, 0.0));
  const Tensor edges =
      linspace(ends[0], ends[1], bins + 1, {.dtype = x.dtype(), .device = x.device()});
  return {density ? counts / (sum(counts) * width) : counts, edges};
}

Tensor histc(const Tensor& x, std::optional<int64_t> bins, std::optional<double> min,
             std::optional<double> max) {
  std::optional<std::vector<double>> range;
  const double low = min.value_or(0), high = max.value_or(0);
  if (low != 0 || high != 0) range = {low, high};
  return std::get<0>(histogram(x, bins.value_or(100), range));
}

Tensor searchsorted(const Tensor& sorted, const TensorOrNumber& given, bool out_int32, bool right,
                    const std::optional<std::string>& side) {
  if (side && *side != "left" && *side != "right")
    throw Error("searchsorted: side is left or right: got " + *side);
  if (side && *side == "left" && right)
    throw Error("searchsorted: side \"left\" and right = true exclude each other");
  const bool behind = right || (side && *side == "right");
  GradientMode off(false);
  const bool number = !given.tensor.defined();
  Tensor values =
      number ? full({1}, given.number, {.dtype = sorted.dtype(), .device = sorted.device()})
             : given.tensor;
  const Shape shape = number ? Shape() : values.shape();
  if (sorted.rank() == 0) throw ShapeError("searchsorted: a row of numbers is needed: ()");
  if (values.dtype() != sorted.dtype())
    throw DTypeError("searchsorted: the types differ: " + std::string(name_of(sorted.dtype())) +
                     " and " + std::string(name_of(values.dtype())));
  if (sorted.rank() == 1) {
    values = flatten(values);
  } else {
    bool fits = sorted.rank() == values.rank();
    for (int d = 0; fits && d < sorted.rank() - 1; ++d)
      fits = sorted.shape()[d] == values.shape()[d];
    if (!fits)
      throw ShapeError("searchsorted: rows of " + sorted.shape().text() + " and of " +
                       values.shape().text() + " do not go together");
  }
  const Tensor places = reshape_to(count_before(sorted, values, behind) + 1, shape);
  return out_int32 ? convert(places, DType::i32) : places;
}

Tensor bucketize(const TensorOrNumber& x, const Tensor& boundaries, bool out_int32, bool right) {
  if (boundaries.rank() != 1)
    throw ShapeError("bucketize: boundaries in 1 dimension are needed: " +
                     boundaries.shape().text());
  return searchsorted(boundaries, x, out_int32, right);
}

Tensor isin(const TensorOrNumber& elements, const TensorOrNumber& others, bool invert) {
  const auto tensor_of = [](const TensorOrNumber& x, const TensorOrNumber& like) {
    if (x.tensor.defined()) return x.tensor;
    if (!like.tensor.defined()) throw Error("isin: one of both must be a tensor");
    return full({}, x.number, {.dtype = {}, .device = like.tensor.device()});
  };
  const Tensor x = tensor_of(elements, others), set = flatten(tensor_of(others, elements));
  const Tensor found = set.numel() == 0 ? ne(x, x) : any(eq(unsqueeze(x, Dim{-1}), set), Dims{-1});
  return invert ? logical_not(found) : found;
}

Results unique_consecutive(const Tensor& input, bool return_inverse, bool return_counts) {
  const Tensor x = flatten(input);
  const int64_t count = x.numel();
  Tensor begins = ones({count}, {.dtype = DType::boolean, .device = x.device()});
  if (count > 1)
    begins = cat({slice(begins, 0, 0, 1), ne(slice(x, 0, 1, count - 1), slice(x, 0, 0, count - 1))},
                 Dim{0});
  Results results{masked_select(x, begins)};
  const Tensor runs = cumsum(begins, Dim{0});
  if (return_inverse) results.push_back(reshape_to(runs, input.shape()));
  if (return_counts)
    results.push_back(
        scatter_add(zeros({results[0].numel()}, {.dtype = DType::i64, .device = x.device()}),
                    Dim{0}, runs, ones_like(runs)));
  return results;
}

Tensor cdist(const Tensor& a, const Tensor& b, std::optional<double> p) {
  if (a.rank() < 2 || b.rank() < 2)
    throw ShapeError("cdist: rows of vectors are needed: " + a.shape().text() + " and " +
                     b.shape().text());
  if (a.shape()[a.rank() - 1] != b.shape()[b.rank() - 1])
    throw ShapeError("cdist: the vectors have different sizes: " + a.shape().text() + " and " +
                     b.shape().text());
  if (p && *p < 0) throw Error("cdist: p is not negative: got " + std::to_string(*p));
  const Tensor gaps = unsqueeze(a, Dim{-2}) - unsqueeze(b, Dim{-3});
  return vector_norm(gaps, p.value_or(2), Dims{-1});
}

Tensor dist(const Tensor& a, const Tensor& b, std::optional<double> p) {
  return vector_norm(a - b, p.value_or(2));
}

Tensor trapezoid(const Tensor& y, const std::optional<Tensor>& x, std::optional<double> dx,
                 std::optional<Dim> dim) {
  const int place = resolve_dim("trapezoid", dim.value_or(Dim{-1}), y.rank());
  return sum(trapezoids("trapezoid", y, x, dx, place), Dims{place});
}

Tensor cumulative_trapezoid(const Tensor& y, const std::optional<Tensor>& x,
                            std::optional<double> dx, std::optional<Dim> dim) {
  const int place = resolve_dim("cumulative_trapezoid", dim.value_or(Dim{-1}), y.rank());
  return cumsum(trapezoids("cumulative_trapezoid", y, x, dx, place), Dim{place});
}

}  // namespace tide
