// Arrangements of tensors.
#include "runtime/ops/shape/arrangement.h"

#include <algorithm>

#include "runtime/autograd/autograd.h"
#include "runtime/core/error.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/padding.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/transfer.h"

namespace tide {
namespace {

Tensor positions_tensor(const std::vector<int64_t>& values, const Shape& shape, Device device) {
  return record_constant(values.data(), shape, DType::i64, device);
}

/// The positions of a matrix's elements from a diagonal on (upper), or up to it, row by row.
Tensor triangle(const char* op, int64_t rows, int64_t columns, int64_t offset, bool upper,
                const TensorOptions& options) {
  check_least(op, "sizes", std::min(rows, columns), 0);
  offset = std::clamp(offset, -rows - 1, columns);
  int64_t count = 0;
  for (int64_t r = 0; columns > 0 && r < rows; ++r) {
    const int64_t before = std::clamp<int64_t>(r + offset + !upper, 0, columns);
    count += upper ? columns - before : before;
  }
  Layout layout({rows, columns});
  layout.strides[0] = -1;
  layout.strides[1] = 1;
  const Tensor right = index_iota(layout, options.device.value_or(Device{}));
  const Tensor mask = upper ? ge(right, Number(offset)) : le(right, Number(offset));
  const Tensor positions = contiguous(matrix_transpose(true_positions(op, mask, count)));
  return convert(positions, options.dtype.value_or(DType::i64));
}

/// A copy of x with `source` written into the part that `view` takes of it.
template <class View>
Tensor with_part(const char* op, const Tensor& x, const Tensor& source, const View& view) {
  const Tensor y = clone(x);
  const Tensor part = view(y);
  check_shape(op, "a source", source, part.shape());
  write(op, part, source);
  return y;
}

/// Rows of positions 1..n taken r at a time, in order.
void collect(int64_t n, int64_t r, bool repeats, std::vector<int64_t>& row, int64_t first,
             std::vector<int64_t>& all) {
  if (static_cast<int64_t>(row.size()) == r) {
    all.insert(all.end(), row.begin(), row.end());
    return;
  }
  for (int64_t i = first; i <= n; ++i) {
    row.push_back(i);
    collect(n, r, repeats, row, repeats ? i : i + 1, all);
    row.pop_back();
  }
}

std::vector<Tensor> split_rank(const char* op, const Tensor& x, int64_t sections, int rank,
                               int dim) {
  check_min_rank(op, x, rank);
  if (sections < 1 || x.shape()[dim] % sections != 0)
    throw ShapeError(std::string(op) + ": dimension " + std::to_string(dim + 1) + " of " +
                     x.shape().text() + " does not divide into " + std::to_string(sections));
  return tensor_split(x, sections, Dim{dim});
}

std::vector<Tensor> each(const std::vector<Tensor>& tensors, Tensor (*change)(const Tensor&)) {
  std::vector<Tensor> changed;
  for (const Tensor& x : tensors) changed.push_back(change(x));
  return changed;
}

}  // namespace

Tensor atleast_1d(const Tensor& x) { return x.rank() == 0 ? reshape_to(x, {1}) : x; }

Tensor atleast_2d(const Tensor& x) { return x.rank() < 2 ? unsqueeze(atleast_1d(x), Dim{0}) : x; }

Tensor atleast_3d(const Tensor& x) { return x.rank() < 3 ? unsqueeze(atleast_2d(x), Dim{-1}) : x; }

std::vector<Tensor> atleast_1d_each(const std::vector<Tensor>& tensors) {
  return each(tensors, atleast_1d);
}

std::vector<Tensor> atleast_2d_each(const std::vector<Tensor>& tensors) {
  return each(tensors, atleast_2d);
}

std::vector<Tensor> atleast_3d_each(const std::vector<Tensor>& tensors) {
  return each(tensors, atleast_3d);
}

std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors) {
  Shape shape;
  for (const Tensor& x : tensors) shape = broadcast("broadcast_tensors", shape, x.shape());
  std::vector<Tensor> results;
  for (const Tensor& x : tensors) results.push_back(broadcast_to(x, shape));
  return results;
}

Tensor block_diag(const std::vector<Tensor>& tensors) {
  check_any_tensor("block_diag", tensors);
  int64_t rows = 0, columns = 0;
  std::vector<Tensor> blocks;
  for (const Tensor& x : tensors) {
    check_max_rank("block_diag", x, 2);
    blocks.push_back(atleast_2d(x));
    rows += blocks.back().shape()[0];
    columns += blocks.back().shape()[1];
  }
  std::vector<Tensor> strips;
  int64_t before = 0;
  for (const Tensor& block : blocks) {
    const int64_t width = block.shape()[1];
    strips.push_back(pad(block, {before, columns - before - width}));
    before += width;
  }
  return cat(strips, Dim{0});
}

Tensor column_stack(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> columns;
  for (const Tensor& x : tensors)
    columns.push_back(x.rank() < 2 ? reshape_to(x, {x.numel(), 1}) : x);
  return cat(columns, Dim{1});
}

Tensor dstack(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> deep;
  for (const Tensor& x : tensors) deep.push_back(atleast_3d(x));
  return cat(deep, Dim{2});
}

Tensor cartesian_prod(const std::vector<Tensor>& tensors) {
  check_any_tensor("cartesian_prod", tensors);
  for (const Tensor& x : tensors) check_rank("cartesian_prod", x, 1);
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> columns;
  for (const Tensor& axis : meshgrid(tensors)) columns.push_back(flatten(axis));
  return stack(columns, Dim{1});
}

Tensor combinations(const Tensor& x, std::optional<int64_t> r, bool with_replacement) {
  check_rank("combinations", x, 1);
  const int64_t size = r.value_or(2);
  check_least("combinations", "r", size, 0);
  std::vector<int64_t> row, all;
  if (size > 0) collect(x.shape()[0], size, with_replacement, row, 1, all);
  const int64_t count = size > 0 ? static_cast<int64_t>(all.size()) / size : 0;
  const Tensor places = positions_tensor(all, {static_cast<int64_t>(all.size())}, x.device());
  return reshape_to(index_select(x, Dim{0}, places), {count, size});
}

std::vector<Tensor> tensor_split(const Tensor& x, int64_t sections, std::optional<Dim> dim) {
  check_least("tensor_split", "the number of parts", sections, 1);
  check_min_rank("tensor_split", x, 1);
  const int place = resolve_dim("tensor_split", dim.value_or(Dim{0}), x.rank());
  const int64_t length = x.shape()[place];
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < sections; ++i)
    sizes.push_back(length / sections + (i < length % sections));
  return split_sizes(x, sizes, Dim{place});
}

std::vector<Tensor> tensor_split_after(const Tensor& x, const std::vector<int64_t>& indices,
                                       std::optional<Dim> dim) {
  check_min_rank("tensor_split", x, 1);
  const int place = resolve_dim("tensor_split", dim.value_or(Dim{0}), x.rank());
  const int64_t length = x.shape()[place];
  std::vector<Tensor> parts;
  int64_t first = 0;
  const auto add = [&](int64_t end) {
    const int64_t stop = std::clamp(end < 0 ? end + length : end, int64_t{0}, length);
    parts.push_back(slice(x, place, first, std::max<int64_t>(0, stop - first)));
    first = stop;
  };
  for (int64_t index : indices) add(index);
  add(length);
  return parts;
}

std::vector<Tensor> tensor_split_by(const Tensor& x, const Tensor& cuts, std::optional<Dim> dim) {
  check_max_rank("tensor_split", cuts, 1, "cuts");
  const std::vector<int64_t> numbers = read_integers("tensor_split", cuts);
  return cuts.rank() == 0 ? tensor_split(x, numbers[0], dim) : tensor_split_after(x, numbers, dim);
}

std::vector<Tensor> hsplit(const Tensor& x, int64_t sections) {
  return split_rank("hsplit", x, sections, 1, x.rank() == 1 ? 0 : 1);
}

std::vector<Tensor> hsplit_after(const Tensor& x, const std::vector<int64_t>& indices) {
  check_min_rank("hsplit", x, 1);
  return tensor_split_after(x, indices, Dim{x.rank() == 1 ? 0 : 1});
}

std::vector<Tensor> vsplit(const Tensor& x, int64_t sections) {
  return split_rank("vsplit", x, sections, 2, 0);
}

std::vector<Tensor> vsplit_after(const Tensor& x, const std::vector<int64_t>& indices) {
  check_min_rank("vsplit", x, 2);
  return tensor_split_after(x, indices, Dim{0});
}

std::vector<Tensor> dsplit(const Tensor& x, int64_t sections) {
  return split_rank("dsplit", x, sections, 3, 2);
}

std::vector<Tensor> dsplit_after(const Tensor& x, const std::vector<int64_t>& indices) {
  check_min_rank("dsplit", x, 3);
  return tensor_split_after(x, indices, Dim{2});
}

Tensor diag_embed(const Tensor& x, std::optional<int64_t> offset, std::optional<Dim> dim1,
                  std::optional<Dim> dim2) {
  check_min_rank("diag_embed", x, 1);
  const int rank = x.rank() + 1;
  const int rows = resolve_dim("diag_embed", dim1.value_or(Dim{-2}), rank);
  const int columns = resolve_dim("diag_embed", dim2.value_or(Dim{-1}), rank);
  check_distinct_dims("diag_embed", rows, columns);
  const int64_t size = x.shape()[x.rank() - 1] + std::abs(offset.value_or(0));
  Shape shape;
  for (int d = 0; d < x.rank() - 1; ++d) shape.push_back(x.shape()[d]);
  shape.push_back(size);
  shape.push_back(size);
  const Tensor y = new_zeros(x, shape);
  write("diag_embed", diagonal(y, offset, Dim{-2}, Dim{-1}), x);
  return movedim(y, Dims{-2, -1}, Dims{rows, columns});
}

Tensor diagflat(const Tensor& x, std::optional<int64_t> offset) {
  return diag_embed(flatten(atleast_1d(x)), offset);
}

Tensor tril_indices(int64_t rows, int64_t columns, std::optional<int64_t> offset,
                    const TensorOptions& options) {
  return triangle("tril_indices", rows, columns, offset.value_or(0), false, options);
}

Tensor triu_indices(int64_t rows, int64_t columns, std::optional<int64_t> offset,
                    const TensorOptions& options) {
  return triangle("triu_indices", rows, columns, offset.value_or(0), true, options);
}

Tensor select_scatter(const Tensor& x, const Tensor& source, Dim dim, Position index) {
  return with_part("select_scatter", x, source,
                   [&](const Tensor& y) { return select(y, dim, index); });
}

Tensor slice_scatter(const Tensor& x, const Tensor& source, std::optional<Dim> dim,
                     std::optional<Position> first, std::optional<Position> last,
                     std::optional<int64_t> step) {
  const char* op = "slice_scatter";
  const int place = resolve_dim(op, dim.value_or(Dim{0}), x.rank());
  check_min_rank("slice_scatter", x, 1);
  const int64_t size = x.shape()[place], by = step.value_or(1);
  check_least("slice_scatter", "the step", by, 1);
  const int64_t begin = first ? resolve_position(op, *first, size) : 0;
  const int64_t end = last ? resolve_position(op, *last, size) : size - 1;
  const int64_t count = end < begin ? 0 : (end - begin) / by + 1;
  return with_part(op, x, source,
                   [&](const Tensor& y) { return slice(y, place, begin, count, by); });
}

Tensor diagonal_scatter(const Tensor& x, const Tensor& source, std::optional<int64_t> offset,
                        std::optional<Dim> dim1, std::optional<Dim> dim2) {
  return with_part("diagonal_scatter", x, source,
                   [&](const Tensor& y) { return diagonal(y, offset, dim1, dim2); });
}

Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source) {
  check_bool("masked_scatter", mask.dtype(), "a mask");
  check_same_type("masked_scatter", x.dtype(), source.dtype());
  const Shape shape = broadcast("masked_scatter", x.shape(), mask.shape());
  const Tensor chosen = broadcast_to(mask, shape);
  // Each chosen place takes the next element; the others look at the first and drop it.
  const Tensor order = reshape_to(cumsum(flatten(chosen), Dim{0}), shape);
  const Tensor values = take(source, where(chosen, order, 1));
  return where(chosen, values, broadcast_to(x, shape));
}

Tensor inner(const Tensor& a, const Tensor& b) {
  if (a.rank() == 0 || b.rank() == 0) return a * b;
  return tensordot(a, movedim(b, Dims{-1}, Dims{0}), 1);
}

Tensor tensordot(const Tensor& a, const Tensor& b, std::optional<int64_t> dims) {
  const int64_t count = dims.value_or(2);
  if (count < 0 || count > a.rank() || count > b.rank())
    throw ShapeError("tensordot: " + std::to_string(count) + " dimensions of " + a.shape().text() +
                     " and " + b.shape().text() + " cannot be joined");
  DimLists lists;
  for (int64_t d = 0; d < count; ++d) {
    lists.first.push_back(a.rank() - count + d);
    lists.second.push_back(d);
  }
  return tensordot_pairs(a, b, lists);
}

Tensor tensordot_pairs(const Tensor& a, const Tensor& b, const DimLists& dims) {
  const char* op = "tensordot";
  check_same_count(op, "dimensions of the first", dims.first.size(), "of the second",
                   dims.second.size());
  if (!dims.first.empty()) {
    check_min_rank(op, a, 1);
    check_min_rank(op, b, 1);
  }
  const unsigned joined_a = resolve_dims(op, dims.first, a.rank());
  const unsigned joined_b = resolve_dims(op, dims.second, b.rank());
  Shape shape;
  Dims rows, columns;
  int64_t outside = 1, inside = 1, beside = 1;
  for (int d = 0; d < a.rank(); ++d)
    if (!(joined_a >> d & 1))
      rows.push_back(d), shape.push_back(a.shape()[d]), outside *= a.shape()[d];
  for (int i = 0; i < dims.first.size(); ++i) {
    const int left = resolve_dim(op, Dim{dims.first[i]}, a.rank());
    const int right = resolve_dim(op, Dim{dims.second[i]}, b.rank());
    if (a.shape()[left] != b.shape()[right])
      throw ShapeError("tensordot: inner sizes differ: " + a.shape().text() + " x " +
                       b.shape().text() + " have " + std::to_string(a.shape()[left]) + " and " +
                       std::to_string(b.shape()[right]));
    rows.push_back(left);
    columns.push_back(right);
    inside *= a.shape()[left];
  }
  for (int d = 0; d < b.rank(); ++d)
    if (!(joined_b >> d & 1))
      columns.push_back(d), shape.push_back(b.shape()[d]), beside *= b.shape()[d];
  return reshape_to(mm(reshape_to(permute(a, rows), {outside, inside}),
                       reshape_to(permute(b, columns), {inside, beside})),
                    shape);
}

Tensor vander(const Tensor& x, std::optional<int64_t> count, bool increasing) {
  check_rank("vander", x, 1);
  const int64_t rows = x.shape()[0], columns = count.value_or(rows);
  check_least("vander", "N", columns, 0);
  const DType type = is_floating(x.dtype()) ? x.dtype() : DType::i64;
  std::vector<Tensor> parts;
  if (columns > 0) parts.push_back(ones({rows, 1}, {.dtype = type, .device = x.device()}));
  if (columns > 1)
    parts.push_back(cumprod(
        broadcast_to(reshape_to(convert(x, type), {rows, 1}), {rows, columns - 1}), Dim{1}));
  if (parts.empty()) return zeros({rows, 0}, {.dtype = type, .device = x.device()});
  const Tensor rising = cat(parts, Dim{1});
  return increasing ? rising : flip(rising, Dims{1});
}

std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape) {
  const Tensor given = from_the_end(positions_of("unravel_index", indices), shape.numel());
  // A gather of zeros checks the positions and holds no memory.
  const Tensor zero = zeros({1}, {.dtype = DType::i64, .device = indices.device()});
  const Tensor none =
      gather_along("unravel_index", broadcast_to(zero, {shape.numel()}), 0, ravel(given));
  Tensor rest = given + reshape_to(none, given.shape()) - 1;
  std::vector<Tensor> places(static_cast<size_t>(shape.rank()));
  if (shape.numel() == 0) return std::vector<Tensor>(places.size(), rest);
  for (int d = shape.rank() - 1; d >= 0; --d) {
    const Number size = shape[d];
    places[static_cast<size_t>(d)] = remainder(rest, size) + 1;
    rest = floor_divide(rest, size);
  }
  return places;
}

Tensor renorm(const Tensor& x, double p, Dim dim, double largest) {
  check_min_rank("renorm", x, 2);
  check_positive("renorm", "p", p);
  check_non_negative("renorm", "maxnorm", largest);
  const int place = resolve_dim("renorm", dim, x.rank());
  Dims others;
  for (int d = 0; d < x.rank(); ++d)
    if (d != place) others.push_back(d);
  const DType type = compute_type(x.dtype());
  const Tensor norms = vector_norm(x, p, others, true, type);
  const Tensor factor = where(gt(norms, largest), largest / (norms + 1e-7), 1.0);
  return x * convert(factor, x.dtype());
}

}  // namespace tide
