// Sorting, and ops based on it: topk, kthvalue, unique, bincount.
#include <algorithm>
#include <numeric>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// The first `count` of x sorted along dim, without a grad function: the compute op sorts the last
/// dimension.
std::pair<Tensor, Tensor> sort_raw(const char* name, const Tensor& x, int dim, bool descending,
                                   int64_t count) {
  GradientMode off(false);
  const Tensor rows = contiguous(transpose(x, Dim{dim}, Dim{-1}));
  Shape shape = rows.shape();
  shape[shape.rank() - 1] = count;
  const ComputeResult results[] = {{shape, x.dtype()}, {shape, DType::i64}};
  const auto attributes = pack(SortAttributes{descending});
  const auto sorted = record_compute(ComputeOp::sort, name, {&rows, 1}, results, attributes);
  return {contiguous(transpose(sorted[0], Dim{dim}, Dim{-1})),
          contiguous(transpose(sorted[1], Dim{dim}, Dim{-1}))};
}

/// `count` elements of x sorted along dim, starting at index `first`, and their positions, with a
/// grad function.
std::tuple<Tensor, Tensor> sort_part(const char* name, const Tensor& input, int dim,
                                     bool descending, int64_t first, int64_t count) {
  const Tensor x = input.rank() == 0 ? reshape_to(input, {1}) : input;
  auto [values, positions] = sort_raw(name, x, dim, descending, first + count);
  if (first != 0) {
    values = contiguous(slice(values, dim, first, count));
    positions = contiguous(slice(positions, dim, first, count));
  }
  if (needs_grad_fn(x)) {
    set_grad_fn(values, name, {x}, false,
                [=, shape = x.shape(),
                 at = Saved(positions)](const GradientCall& call) -> std::vector<Tensor> {
                  const Tensor base =
                      zeros(shape, {.dtype = call.dy.dtype(), .device = call.dy.device()});
                  return {scatter_along(name, base, dim, at.get(), call.dy, true)};
                });
  }
  if (input.rank() > 0) return {values, positions};
  return {reshape_to(values, {}), reshape_to(positions, {})};
}

/// The rows of a matrix on the host, for comparison, in any type.
struct Rows {
  std::vector<double> floating;
  std::vector<int64_t> integers;
  size_t length = 0;

  bool less(size_t a, size_t b) const {
    return integers.empty() ? less_in(floating, a, b) : less_in(integers, a, b);
  }

  /// Compares as numbers do: a row with nan equals no other row.
  bool equal(size_t a, size_t b) const {
    return integers.empty() ? equal_in(floating, a, b) : equal_in(integers, a, b);
  }

 private:
  template <class T>
  bool less_in(const std::vector<T>& values, size_t a, size_t b) const {
    const auto row = [&](size_t i) { return values.begin() + static_cast<int64_t>(i * length); };
    // nan comes after all numbers, as in sort.
    const auto before = [](T u, T v) { return u < v || (u == u && v != v); };
    return std::lexicographical_compare(row(a), row(a + 1), row(b), row(b + 1), before);
  }

  template <class T>
  bool equal_in(const std::vector<T>& values, size_t a, size_t b) const {
    const auto row = [&](size_t i) { return values.begin() + static_cast<int64_t>(i * length); };
    return std::equal(row(a), row(a + 1), row(b));
  }
};

Rows read_rows(const Tensor& x) {
  Rows rows;
  rows.length = static_cast<size_t>(x.shape()[1]);
  const auto count = static_cast<size_t>(x.numel());
  if (is_floating(x.dtype())) {
    rows.floating.resize(count);
    convert(x, DType::f64).read(rows.floating.data(), "unique");
  } else {
    rows.integers.resize(count);
    convert(x, DType::i64).read(rows.integers.data(), "unique");
  }
  return rows;
}

Tensor constant(const std::vector<int64_t>& values, Device device) {
  return record_constant(values.data(), {static_cast<int64_t>(values.size())}, DType::i64, device);
}

/// The distinct elements of a vector, in order; all results are computed on the device.
Results unique_elements(const Tensor& x, const Shape& shape, bool return_inverse,
                        bool return_counts) {
  const int64_t count = x.numel();
  const auto [sorted, order] = sort_raw("unique", x, 0, false, count);
  // A sorted element starts a new value unless it equals its predecessor; a nan never does.
  const TensorOptions options{.dtype = DType::boolean, .device = x.device()};
  Tensor begins = ones({std::min<int64_t>(count, 1)}, options);
  if (count > 1) {
    const Tensor current = slice(sorted, 0, 1, count - 1),
                 previous = slice(sorted, 0, 0, count - 1);
    begins = cat({begins, ne(current, previous)});
  }
  const Tensor rows = nonzero(begins), firsts = reshape_to(rows, {rows.shape()[0]});
  Results results;
  results.push_back(lookup_along("unique", sorted, 0, firsts));
  if (return_inverse) {
    const Tensor ranks = cumsum(begins, Dim{0}, DType::i64);
    const Tensor base = zeros({count}, {.dtype = DType::i64, .device = x.device()});
    results.push_back(reshape_to(scatter_along("unique", base, 0, order, ranks, false), shape));
  }
  if (return_counts) {
    const Tensor end = full({1}, Number(count + 1), {.dtype = DType::i64, .device = x.device()});
    const Tensor ends =
        firsts.numel() ? cat({slice(firsts, 0, 1, firsts.numel() - 1), end}) : firsts;
    results.push_back(sub(ends, firsts));
  }
  return results;
}

}  // namespace

std::tuple<Tensor, Tensor> sort(const Tensor& x, std::optional<Dim> dim, bool descending, bool) {
  const int axis = resolve_dim("sort", dim.value_or(Dim{-1}), x.rank());
  return sort_part("sort", x, axis, descending, 0, x.rank() == 0 ? 1 : x.shape()[axis]);
}

Tensor msort(const Tensor& x) { return std::get<0>(sort(x, Dim{0}, false, true)); }

Tensor argsort(const Tensor& x, std::optional<Dim> dim, bool descending, bool stable) {
  return std::get<1>(sort(detach(x), dim, descending, stable));
}

std::tuple<Tensor, Tensor> topk(const Tensor& x, int64_t k, std::optional<Dim> dim,
                                std::optional<bool> largest, std::optional<bool>) {
  const int axis = resolve_dim("topk", dim.value_or(Dim{-1}), x.rank());
  const int64_t size = x.rank() == 0 ? 1 : x.shape()[axis];
  if (k < 0 || k > size)
    throw ShapeError("topk: k is out of range: " + std::to_string(k) + " of " +
                     std::to_string(size));
  check_numbers("topk", x);
  // A 0-d tensor is returned as it is, even for k = 0, as in PyTorch.
  return sort_part("topk", x, axis, largest.value_or(true), 0, x.rank() == 0 ? 1 : k);
}

std::tuple<Tensor, Tensor> kthvalue(const Tensor& x, int64_t k, std::optional<Dim> dim,
                                    bool keepdim) {
  check_numbers("kthvalue", x);
  const int axis = resolve_dim("kthvalue", dim.value_or(Dim{-1}), x.rank());
  const int64_t size = x.rank() == 0 ? 1 : x.shape()[axis];
  if (k < 1 || k > size)
    throw ShapeError("kthvalue: k is out of range: " + std::to_string(k) + " of " +
                     std::to_string(size));
  auto [values, positions] = sort_part("kthvalue", x, axis, false, k - 1, 1);
  if (keepdim || x.rank() == 0) return {values, positions};
  return {squeeze(values, Dims{axis}), squeeze(positions, Dims{axis})};
}

Results unique(const Tensor& input, std::optional<bool>, bool return_inverse, bool return_counts,
               std::optional<Dim> dim) {
  const Tensor x = detach(input);
  if (!dim) return unique_elements(ravel(x), x.shape(), return_inverse, return_counts);
  check_min_rank("unique", x, 1);
  const int axis = resolve_dim("unique", *dim, x.rank());
  for (int d = 0; d < x.rank(); ++d)
    if (d != axis && x.shape()[d] == 0 && x.shape()[axis] != 0)
      throw_no_elements("unique", x.shape());
  // Slices are compared element by element in their own order.
  const Tensor slices = movedim(x, Dims{axis}, Dims{0});
  const int64_t count = slices.shape()[0];
  const Rows rows = read_rows(reshape_to(slices, {count, count ? slices.numel() / count : 0}));
  std::vector<size_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rows.less(a, b); });

  std::vector<int64_t> firsts, counts, inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || !rows.equal(order[i - 1], order[i])) {
      firsts.push_back(static_cast<int64_t>(order[i]) + 1);
      counts.push_back(0);
    }
    ++counts.back();
    inverse[order[i]] = static_cast<int64_t>(firsts.size());
  }
  Results results;
  results.push_back(index_select(x, *dim, constant(firsts, x.device())));
  if (return_inverse) results.push_back(constant(inverse, x.device()));
  if (return_counts) results.push_back(constant(counts, x.device()));
  return results;
}

Tensor bincount(const Tensor& x, const std::optional<Tensor>& weights,
                std::optional<int64_t> minlength) {
  check_rank("bincount", x, 1);
  if (weights) check_shape("bincount", "weights", *weights, x.shape());
  int64_t length = minlength.value_or(0);
  check_least("bincount", "minlength", length, 0);
  const Tensor positions = positions_of("bincount", x);
  if (x.numel() > 0) {
    const auto ends = read_integers("bincount", stack({amin(positions), amax(positions)}));
    if (ends[0] < 1)
      throw ShapeError("bincount: positions start at 1, got " + std::to_string(ends[0]));
    length = std::max(length, ends[1]);
  }
  const DType type = !weights                         ? DType::i64
                     : weights->dtype() == DType::f32 ? DType::f32
                                                      : DType::f64;
  const TensorOptions options{.dtype = type, .device = x.device()};
  const Tensor addends =
      weights ? convert(detach(*weights), type) : broadcast_to(ones({1}, options), x.shape());
  return scatter_along("bincount", zeros({length}, options), 0, positions, addends, true);
}

}  // namespace tide
