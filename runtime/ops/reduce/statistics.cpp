// Statistics and searches.
#include "runtime/ops/reduce/statistics.h"

#include <cmath>
#include <limits>

#include "runtime/autograd/autograd.h"
#include "runtime/core/dtype.h"
#include "runtime/core/error.h"
#include "runtime/device/registry.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/arrangement.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"

namespace tide {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The shares as a vector of x's type on x's device; one number is one share.
Tensor shares(const char* op, const Tensor& x, const TensorOrNumber& q) {
  if (!q.tensor.defined()) {
    const double share = q.number.as_double();
    check_between(op, "a share", share, 0, 1);
    return full({1}, share, {.dtype = x.dtype(), .device = x.device()});
  }
  check_max_rank(op, q.tensor, 1, "q");
  check_same_type(op, x.dtype(), q.tensor.dtype());
  return reshape_to(q.tensor, {q.tensor.numel()});
}

/// The place (from 0, perhaps between two) in the sorted row; of which two values, and how far
/// between them.
Tensor between(const Tensor& sorted, const Tensor& place, const std::string& way, const char* op) {
  const auto value_at = [&](const Tensor& index) {
    return gather(sorted, Dim{-1}, convert(index, DType::i64) + 1);
  };
  enum { kLinear, kLower, kHigher, kMidpoint, kNearest };
  const int kind =
      choose(op, "interpolation", way, {"linear", "lower", "higher", "midpoint", "nearest"});
  if (kind == kLower) return value_at(floor(place));
  if (kind == kHigher) return value_at(ceil(place));
  if (kind == kNearest) return value_at(round(place));
  const Tensor low = value_at(floor(place)), high = value_at(ceil(place));
  return kind == kMidpoint ? lerp(low, high, 0.5) : lerp(low, high, place - floor(place));
}

Tensor quantile_of(const char* op, const Tensor& x, const TensorOrNumber& q,
                   std::optional<Dim> given_dim, bool keepdim,
                   const std::optional<std::string>& interpolation, bool skip_nan) {
  check_float32_or_float64(op, x.dtype());
  check_has_elements(op, x);
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

/// Up to this many are compared with each element; more are sorted and searched.
constexpr int64_t kFewElements = 32;

/// Whether each element of x is in a sorted row.
Tensor is_among_sorted(const Tensor& x, const Tensor& row) {
  DType type = promote(x.dtype(), row.dtype());
  if (type == DType::boolean) type = DType::u8;  // has no order
  const Tensor values = convert(ravel(x), type), sorted = convert(row, type);
  const Tensor found = gt(count_before(sorted, values, true), count_before(sorted, values, false));
  // A nan is not equal to itself.
  return reshape_to(logical_and(found, eq(values, values)), x.shape());
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
  check_min_rank(op, y, 1);
  if (x && dx) throw Error(std::string(op) + ": x and dx cannot be combined");
  const int64_t count = y.shape()[place];
  if (count == 0) return y;
  const Tensor sums = slice(y, place, 1, count - 1) + slice(y, place, 0, count - 1);
  return sums * spacing(y, x, dx, place) * 0.5;
}

/// a b' / divisor, of one row without dimensions.
Tensor covariances(const Tensor& a, const Tensor& b, const TensorOrNumber& divisor) {
  const Tensor result = matmul(a, matrix_transpose(b)) / divisor;
  return result.numel() == 1 ? reshape_to(result, {}) : result;
}

/// The weight of each of `count` observations: how often it was made, times how much it counts.
Tensor observation_weights(int64_t count, const std::optional<Tensor>& fweights,
                           const std::optional<Tensor>& aweights) {
  if (fweights) check_integer("cov", fweights->dtype(), "fweights");
  if (aweights) check_floating("cov", aweights->dtype(), "aweights");
  for (const auto* weights : {&fweights, &aweights})
    if (*weights && ((*weights)->rank() > 1 || (*weights)->numel() != count))
      throw ShapeError("cov: expected one weight for each of " + std::to_string(count) +
                       " observations, got " + (*weights)->shape().text());
  const Tensor product = fweights && aweights ? *fweights * *aweights
                         : fweights           ? *fweights
                                              : *aweights;
  const Tensor weights = reshape_to(product, {count});
  bool usable[2] = {true, false};
  GradientMode off(false);
  Tensor negative = lt(weights, 0);
  if (fweights) negative = logical_or(negative, lt(reshape_to(*fweights, {count}), 0));
  stack({any(negative), ne(sum(weights), 0)}).read(usable, "cov");
  if (usable[0]) throw Error("cov: a weight is negative");
  if (!usable[1]) throw Error("cov: the weights must not add up to 0");
  return weights;
}

/// Whether each slice along the first dimension begins a run: differs from the one before.
Tensor begins_run(const Tensor& slices) {
  const int64_t count = slices.shape()[0];
  const Tensor first =
      ones({std::min<int64_t>(count, 1)}, {.dtype = DType::boolean, .device = slices.device()});
  if (count < 2) return first;
  Tensor differs = ne(slice(slices, 0, 1, count - 1), slice(slices, 0, 0, count - 1));
  if (slices.rank() > 1)
    differs = any(reshape_to(differs, {count - 1, differs.numel() / (count - 1)}), Dims{1});
  return cat({first, differs}, Dim{0});
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
  // f16 has neither sums nor counts above 65504.
  const Tensor wide = convert(convert(x, type), compute_type(type));
  const Tensor count = sum(logical_not(isnan(wide)), dims, keepdim);
  return convert(nansum(wide, dims, keepdim) / convert(count, wide.dtype()), type);
}

Tensor nanmedian_all(const Tensor& x) { return std::get<0>(nanmedian(flatten(x), Dim{0})); }

std::tuple<Tensor, Tensor> nanmedian(const Tensor& input, Dim dim, bool keepdim) {
  const int place = resolve_dim("nanmedian", dim, input.rank());
  const Tensor x = input.rank() == 0 ? reshape_to(input, {1}) : input;
  if (x.shape()[place] == 0) throw_no_elements("nanmedian", x.shape());
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
  if (length == 0) throw_no_elements("mode", input.shape());
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

namespace {

/// The covariances in float64: float32 has no products of distances above 2e19.
Tensor wide_cov(const Tensor& input, std::optional<int64_t> given,
                const std::optional<Tensor>& fweights, const std::optional<Tensor>& aweights) {
  check_numbers("cov", input);
  check_max_rank("cov", input, 2);
  Tensor x = convert(input, DType::f64);
  if (x.rank() < 2) x = reshape_to(x, {1, x.numel()});
  const auto correction = static_cast<double>(given.value_or(1));
  if (!fweights && !aweights) {
    const Tensor centred = x - mean(x, Dims{1}, true);
    const double divisor = std::max(0.0, static_cast<double>(x.shape()[1]) - correction);
    return covariances(centred, centred, divisor);
  }
  const Tensor weights = observation_weights(x.shape()[1], fweights, aweights);
  const Tensor total = sum(weights);
  const Tensor centred = x - sum(x * weights, Dims{1}, true) / total;
  // Weights of importance, unlike counts, make fewer observations out of many.
  const Tensor lost =
      aweights ? sum(weights * reshape_to(*aweights, weights.shape())) / total : ones_like(total);
  return covariances(centred * weights, centred, clamp_min(total - lost * correction, 0));
}

}  // namespace

Tensor cov(const Tensor& x, std::optional<int64_t> correction,
           const std::optional<Tensor>& fweights, const std::optional<Tensor>& aweights) {
  return convert(wide_cov(x, correction, fweights, aweights), floating_type(x.dtype()));
}

Tensor corrcoef(const Tensor& x) {
  check_numbers("corrcoef", x);
  const DType type = floating_type(x.dtype());
  const Tensor c = wide_cov(x, {}, {}, {});
  if (c.rank() == 0) return convert(c / c, type);
  const Tensor deviation = sqrt(diagonal(c));
  const Tensor scaled = c / unsqueeze(deviation, Dim{1}) / deviation;
  return convert(clamp(scaled, TensorOrNumber(-1.0), TensorOrNumber(1.0)), type);
}

Tensor searchsorted(const Tensor& sequence, const TensorOrNumber& given, bool out_int32, bool right,
                    const std::optional<std::string>& side, const std::optional<Tensor>& sorter) {
  if (side) choose("searchsorted", "side", *side, {"left", "right"});
  if (side && *side == "left" && right)
    throw Error("searchsorted: side \"left\" and right = true cannot be combined");
  const bool behind = right || (side && *side == "right");
  GradientMode off(false);
  if (sorter) check_shape("searchsorted", "a sorter", *sorter, sequence.shape());
  const Tensor sorted = sorter ? gather(sequence, Dim{-1}, *sorter) : sequence;
  const bool number = !given.tensor.defined();
  Tensor values =
      number ? full({1}, given.number, {.dtype = sorted.dtype(), .device = sorted.device()})
             : given.tensor;
  const Shape shape = number ? Shape() : values.shape();
  check_min_rank("searchsorted", sorted, 1);
  check_same_type("searchsorted", sorted.dtype(), values.dtype());
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
  check_rank("bucketize", boundaries, 1, "boundaries");
  return searchsorted(boundaries, x, out_int32, right);
}

Tensor isin(const TensorOrNumber& elements, const TensorOrNumber& others, bool invert) {
  const auto tensor_of = [](const TensorOrNumber& x, const TensorOrNumber& like) {
    if (x.tensor.defined()) return x.tensor;
    if (!like.tensor.defined()) throw Error("isin: one of both must be a tensor");
    return full({}, x.number, {.dtype = {}, .device = like.tensor.device()});
  };
  const Tensor x = tensor_of(elements, others), set = flatten(tensor_of(others, elements));
  const Tensor found = set.numel() <= kFewElements
                           ? any(eq(unsqueeze(x, Dim{-1}), set), Dims{-1})
                           : is_among_sorted(x, std::get<0>(sort(set, Dim{0}, false)));
  return invert ? logical_not(found) : found;
}

Results unique_consecutive(const Tensor& input, bool return_inverse, bool return_counts,
                           std::optional<Dim> dim) {
  if (dim) check_min_rank("unique_consecutive", input, 1);
  const int place = dim ? resolve_dim("unique_consecutive", *dim, input.rank()) : 0;
  const Tensor x = detach(dim ? input : flatten(input));
  for (int d = 0; d < x.rank(); ++d)
    if (d != place && x.shape()[d] == 0) throw_no_elements("unique_consecutive", x.shape());
  const Tensor begins = begins_run(movedim(x, Dims{place}, Dims{0}));
  const Tensor firsts = where_positions(begins)[0];
  Results results{index_select(x, Dim{place}, firsts)};
  const Tensor runs = cumsum(begins, Dim{0});
  if (return_inverse) results.push_back(dim ? runs : reshape_to(runs, input.shape()));
  if (return_counts)
    results.push_back(
        scatter_add(zeros(firsts.shape(), {.dtype = DType::i64, .device = x.device()}), Dim{0},
                    runs, ones_like(runs)));
  return results;
}

namespace {

/// The slope of each distance by its gap, where the distance is `y` and its gradient `dy`. That of
/// a distance of 0 counts as 0, as in PyTorch.
Tensor slopes_of(const Tensor& y, const Tensor& dy) {
  const Tensor zero = eq(y, 0);
  return where(zero, 0, dy / where(zero, 1, y));
}

/// Euclidean distances of all rows of matrices that are no broadcasts, by an op of their own.
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
                const auto slope = [](const Tensor& x, const Tensor& other, const Tensor& shares) {
                  return x * sum(shares, Dims{-1}, true) - matmul(shares, other);
                };
                std::vector<Tensor> result(2);
                if (call.needed[0]) result[0] = slope(a.get(), b.get(), share);
                if (call.needed[1]) result[1] = slope(b.get(), a.get(), matrix_transpose(share));
                return result;
              });
  return y;
}

/// Numbers of the pairs of n rows, in the order of `pdist`, as a matrix (n, n) with 0 on its
/// diagonal.
Tensor pairs_as_matrix(const Tensor& values, int64_t n) {
  const Tensor rows = arange(0, Number(n), 1, {.dtype = DType::i64, .device = values.device()});
  const Tensor i = unsqueeze(rows, Dim{1}), low = minimum(i, rows), high = maximum(i, rows);
  // Of the rows before `low`, the first has n - 1 pairs, the next n - 2, ...
  const Tensor before = bitwise_right_shift(low * (Number(2 * n - 1) - low), Number(1));
  const Tensor own = eq(low, high);
  const Tensor place = where(own, 1, before + high - low);
  return where(own, 0, reshape_to(gather_along("pdist", values, 0, ravel(place)), {n, n}));
}

/// Euclidean distances of all pairs of rows, by an op of their own.
Tensor pair_distances(const Tensor& x) {
  const int64_t n = x.shape()[0];
  const Tensor rows = contiguous(x);
  const ComputeResult result{{n * (n - 1) / 2}, x.dtype()};
  const Tensor y = record_compute(ComputeOp::distances, "pdist", {&rows, 1}, {&result, 1}, {})[0];
  if (!needs_grad_fn(x)) return y;
  set_grad_fn(y, "pdist", {x}, true,
              [x = Saved(x), n](const GradientCall& call) -> std::vector<Tensor> {
                const Tensor own = x.get();
                if (n < 2) return {zeros_like(own)};
                const Tensor share = pairs_as_matrix(slopes_of(call.y, call.dy), n);
                return {own * sum(share, Dims{-1}, true) - matmul(share, own)};
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
  return gather_along("pdist", flatten(cdist(x, x, p)), 0, (row - 1) * Number(n) + column);
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
