// Searches in sorted rows, and runs of equal elements.
#include "runtime/ops/reduce/searching.h"

#include <bit>

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Whether an element of a sorted row lies before where a value would be inserted: before equal
/// elements, or with `right` after them. Nan is the largest value.
Tensor lies_before(const Tensor& element, const Tensor& value, bool right) {
  const Tensor less = right ? le(element, value) : lt(element, value);
  if (!is_floating(element.dtype())) return less;
  return logical_or(less,
                    right ? isnan(value) : logical_and(isnan(value), logical_not(isnan(element))));
}

/// For each value, the number of elements of the sorted row that are less (with `right`: not
/// greater): a binary search, whose steps are lookups in one loop.
Tensor count_before(const Tensor& sorted, const Tensor& values, bool right) {
  const int last = sorted.rank() - 1;
  const int64_t n = sorted.shape()[last];
  Tensor count = zeros(values.shape(), {.dtype = DType::i64, .device = values.device()});
  if (n == 0) return count;
  for (auto step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n))); step > 0;
       step /= 2) {
    const Tensor next = count + Number(step);
    const Tensor element = lookup_along("searchsorted", sorted, last, minimum(next, Number(n)));
    const Tensor goes_on = logical_and(le(next, Number(n)), lies_before(element, values, right));
    count = where(goes_on, next, count);
  }
  return count;
}

/// Up to this number of values are compared with each element; more are sorted and searched.
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

/// Whether each slice along the first dimension begins a run: differs from the previous one.
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

Tensor searchsorted(const Tensor& sequence, const TensorOrNumber& searched, bool out_int32,
                    bool right, const std::optional<std::string>& side,
                    const std::optional<Tensor>& sorter) {
  if (side) choose("searchsorted", "side", *side, {"left", "right"});
  if (side && *side == "left" && right)
    throw Error("searchsorted: side \"left\" and right = true cannot be combined");
  const bool after = right || (side && *side == "right");
  GradientMode off(false);
  if (sorter) check_shape("searchsorted", "a sorter", *sorter, sequence.shape());
  const Tensor sorted = sorter ? gather(sequence, Dim{-1}, *sorter) : sequence;
  const bool number = !searched.tensor.defined();
  Tensor values =
      number ? full({1}, searched.number, {.dtype = sorted.dtype(), .device = sorted.device()})
             : searched.tensor;
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
  const Tensor places = reshape_to(count_before(sorted, values, after) + 1, shape);
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
  const int axis = dim ? resolve_dim("unique_consecutive", *dim, input.rank()) : 0;
  const Tensor x = detach(dim ? input : flatten(input));
  for (int d = 0; d < x.rank(); ++d)
    if (d != axis && x.shape()[d] == 0) throw_no_elements("unique_consecutive", x.shape());
  const Tensor begins = begins_run(movedim(x, Dims{axis}, Dims{0}));
  const Tensor firsts = where_positions(begins)[0];
  Results results{index_select(x, Dim{axis}, firsts)};
  const Tensor runs = cumsum(begins, Dim{0});
  if (return_inverse) results.push_back(dim ? runs : reshape_to(runs, input.shape()));
  if (return_counts)
    results.push_back(
        scatter_add(zeros(firsts.shape(), {.dtype = DType::i64, .device = x.device()}), Dim{0},
                    runs, ones_like(runs)));
  return results;
}

}  // namespace tide
