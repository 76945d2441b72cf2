// Views and copies with other shapes.
#include "runtime/ops/shape/shape_ops.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/view.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

std::string text_of(const Sizes& sizes) {
  std::string text = "(";
  for (int i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + ")";
}

/// `sizes` with a -1 replaced so that the shape has `numel` elements.
Shape infer_shape(const char* op, const Sizes& sizes, int64_t numel, const Shape& from) {
  Shape shape;
  int unknown = -1;
  int64_t product = 1;
  for (int d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1) {
      if (unknown >= 0)
        throw ShapeError(std::string(op) + ": only one size can be -1: " + text_of(sizes));
      unknown = d;
    } else {
      product *= sizes[d];
    }
    shape.push_back(sizes[d] == -1 ? 1 : sizes[d]);
  }
  const bool fits = unknown < 0 ? product == numel : product != 0 && numel % product == 0;
  if (!fits)
    throw ShapeError(std::string(op) + ": " + std::to_string(numel) + " elements of " +
                     from.text() + " do not fit into " + text_of(sizes));
  if (unknown >= 0) shape[unknown] = numel / product;
  return shape;
}

/// Dimension d of the result is dimension order[d] of x, as a view.
Tensor permute_view(const Tensor& x, const std::array<int, kMaxDims>& order) {
  Tensor y = make_view(x, permute_dims(x.layout(), order.data()));
  if (needs_grad_fn(x)) {
    std::array<int, kMaxDims> inverse{};
    for (int d = 0; d < x.rank(); ++d) inverse[order[d]] = d;
    set_grad_fn(y, "permute", {x}, false,
                [inverse](const GradientCall& call) -> std::vector<Tensor> {
                  return {permute_view(call.dy, inverse)};
                });
  }
  return y;
}

}  // namespace

Tensor reshape_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  if (x.numel() != shape.numel())
    throw ShapeError("reshape: " + x.shape().text() + " does not have the elements of " +
                     shape.text());
  Layout layout;
  if (!x.layout().reshape(shape, &layout)) return reshape_to(contiguous(x), shape);
  return view_whole("reshape", x, layout, reshape_to);
}

Tensor reshape(const Tensor& x, const Sizes& sizes) {
  return reshape_to(x, infer_shape("reshape", sizes, x.numel(), x.shape()));
}

Tensor reshape_as(const Tensor& x, const Tensor& other) {
  if (x.numel() != other.numel())
    throw ShapeError("reshape_as: " + std::to_string(x.numel()) + " elements of " +
                     x.shape().text() + " do not fit into " + other.shape().text());
  return reshape_to(x, other.shape());
}

Tensor view(const Tensor& x, const Sizes& sizes) {
  const Shape shape = infer_shape("view", sizes, x.numel(), x.shape());
  Layout layout;
  if (!x.layout().reshape(shape, &layout))
    throw ShapeError("view: the elements of " + x.shape().text() + " lie in an order that " +
                     shape.text() + " cannot show: use reshape");
  return view_whole("view", x, layout, reshape_to);
}

Tensor view_as(const Tensor& x, const Tensor& other) {
  Sizes sizes;
  for (int64_t size : other.shape()) sizes.push_back(size);
  return view(x, sizes);
}

Tensor flatten(const Tensor& x, std::optional<Dim> first, std::optional<Dim> last) {
  const int begin = resolve_dim("flatten", first.value_or(Dim{0}), x.rank());
  const int end = resolve_dim("flatten", last.value_or(Dim{-1}), x.rank());
  if (begin > end)
    throw ShapeError("flatten: the first dimension comes after the last: " +
                     std::to_string(begin + 1) + " and " + std::to_string(end + 1));
  if (x.rank() == 0) return reshape_to(x, {1});
  Shape shape = x.shape();
  for (int d = begin; d < end; ++d) {
    shape[begin] *= shape[begin + 1];
    shape.erase(begin + 1);
  }
  return reshape_to(x, shape);
}

Tensor ravel(const Tensor& x) { return reshape_to(x, {x.numel()}); }

Tensor unflatten(const Tensor& x, Dim dim, const Sizes& sizes) {
  check_min_rank("unflatten", x, 1);
  const int axis = resolve_dim("unflatten", dim, x.rank());
  const Shape parts = infer_shape("unflatten", sizes, x.shape()[axis], x.shape());
  Shape shape = x.shape();
  shape.erase(axis);
  for (int i = 0; i < parts.rank(); ++i) shape.insert(axis + i, parts[i]);
  return reshape_to(x, shape);
}

Tensor transpose(const Tensor& x, Dim dim0, Dim dim1) {
  const int a = resolve_dim("transpose", dim0, x.rank());
  const int b = resolve_dim("transpose", dim1, x.rank());
  std::array<int, kMaxDims> order;
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[a], order[b]);
  return permute_view(x, order);
}

Tensor matrix_transpose(const Tensor& x) { return transpose(x, Dim{-2}, Dim{-1}); }

Tensor t(const Tensor& x) {
  if (x.rank() > 2)
    throw ShapeError("t: at most 2 dimensions can be transposed: " + x.shape().text() +
                     "; use transpose");
  return x.rank() < 2 ? x : matrix_transpose(x);
}

Tensor reverse_dims(const Tensor& x) {
  std::array<int, kMaxDims> order{};
  for (int d = 0; d < x.rank(); ++d) order[d] = x.rank() - 1 - d;
  return permute_view(x, order);
}

Tensor permute(const Tensor& x, const Dims& dims) {
  if (dims.size() != x.rank())
    throw ShapeError("permute: each dimension of " + x.shape().text() +
                     " must be given once: there are " + std::to_string(dims.size()));
  resolve_dims("permute", dims, x.rank());
  std::array<int, kMaxDims> order{};
  for (int d = 0; d < x.rank(); ++d) order[d] = resolve_dim("permute", Dim{dims[d]}, x.rank());
  return permute_view(x, order);
}

Tensor movedim(const Tensor& x, const Dims& source, const Dims& destination) {
  check_same_count("movedim", "sources", source.size(), "destinations", destination.size());
  const unsigned taken = resolve_dims("movedim", source, x.rank());
  const unsigned filled = resolve_dims("movedim", destination, x.rank());
  std::array<int, kMaxDims> order{};
  for (int i = 0; i < source.size(); ++i) {
    const int to = resolve_dim("movedim", Dim{destination[i]}, x.rank());
    order[to] = resolve_dim("movedim", Dim{source[i]}, x.rank());
  }
  int next = 0;
  for (int d = 0; d < x.rank(); ++d) {
    if (filled >> d & 1) continue;
    while (taken >> next & 1) ++next;
    order[d] = next++;
  }
  return permute_view(x, order);
}

Tensor squeeze(const Tensor& x, std::optional<Dims> dims) {
  const unsigned selected = dims ? resolve_dims("squeeze", *dims, x.rank()) : ~0u;
  Layout layout = x.layout();
  for (int d = x.rank() - 1; d >= 0; --d)
    if ((selected >> d & 1) && x.shape()[d] == 1) layout = erase_dim(layout, d);
  return view_whole("squeeze", x, layout, reshape_to);
}

Tensor unsqueeze(const Tensor& x, Dim dim) {
  const int axis = resolve_new_dim("unsqueeze", dim, x.rank());
  // The stride that a row-major tensor would have here.
  const int64_t stride =
      axis < x.rank() ? x.layout().strides[axis] * std::max<int64_t>(x.shape()[axis], 1) : 1;
  return view_whole("unsqueeze", x, insert_dim(x.layout(), axis, 1, stride), reshape_to);
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const int shift = shape.rank() - x.rank();
  bool fits = shift >= 0;
  for (int d = 0; fits && d < x.rank(); ++d)
    fits = x.shape()[d] == 1 || x.shape()[d] == shape[d + shift];
  if (!fits)
    throw ShapeError("broadcast_to: " + x.shape().text() + " does not broadcast to " +
                     shape.text());
  return view_whole("expand", x, x.layout().broadcast_to(shape), sum_to);
}

Tensor expand(const Tensor& x, const Sizes& sizes) {
  const int shift = sizes.size() - x.rank();
  Shape shape;
  for (int d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == -1 && d < shift)
      throw ShapeError("expand: the size of a new dimension cannot be -1: " + text_of(sizes));
    shape.push_back(sizes[d] == -1 ? x.shape()[d - shift] : sizes[d]);
  }
  if (shift < 0)
    throw ShapeError("expand: " + x.shape().text() + " has more dimensions than " + text_of(sizes));
  return broadcast_to(x, shape);
}

Tensor expand_as(const Tensor& x, const Tensor& other) { return broadcast_to(x, other.shape()); }

Tensor slice(const Tensor& x, int dim, int64_t first, int64_t count, int64_t step) {
  return view_part("slice", x, slice_dim(x.layout(), dim, first, count, step),
                   slice_dim(Layout(x.shape()), dim, first, count, step));
}

Tensor narrow(const Tensor& x, Dim dim, Position start, int64_t length) {
  check_min_rank("narrow", x, 1);
  const int axis = resolve_dim("narrow", dim, x.rank());
  const int64_t size = x.shape()[axis];
  const int64_t first = start.value < 0 ? start.value + size : start.value - 1;
  if (start.value == 0) throw ShapeError("narrow: positions start at 1, got 0");
  if (first < 0 || length < 0 || length > size - first)
    throw ShapeError("narrow: range out of bounds: " + std::to_string(length) + " from " +
                     std::to_string(start.value) + " in dimension " + std::to_string(axis + 1) +
                     " of " + x.shape().text());
  return slice(x, axis, first, length);
}

Tensor narrow_from(const Tensor& x, Dim dim, const Tensor& start, int64_t length) {
  check_integer("narrow", start.dtype(), "a start");
  return narrow(x, dim, Position{integer_of("narrow", "start", start)}, length);
}

Tensor select(const Tensor& x, Dim dim, Position index) {
  check_min_rank("select", x, 1);
  const int axis = resolve_dim("select", dim, x.rank());
  const int64_t at = resolve_position("select", index, x.shape()[axis]);
  const auto part = [&](const Layout& whole) {
    return erase_dim(slice_dim(whole, axis, at, 1, 1), axis);
  };
  return view_part("select", x, part(x.layout()), part(Layout(x.shape())));
}

Tensor diagonal(const Tensor& x, std::optional<int64_t> offset, std::optional<Dim> dim1,
                std::optional<Dim> dim2) {
  check_min_rank("diagonal", x, 2);
  const int rows = resolve_dim("diagonal", dim1.value_or(Dim{0}), x.rank());
  const int columns = resolve_dim("diagonal", dim2.value_or(Dim{1}), x.rank());
  check_distinct_dims("diagonal", rows, columns);
  const int64_t shift = offset.value_or(0);
  const int64_t top = std::max<int64_t>(-shift, 0), left = std::max<int64_t>(shift, 0);
  const int64_t length =
      std::max<int64_t>(std::min(x.shape()[rows] - top, x.shape()[columns] - left), 0);
  const auto part = [&](const Layout& whole) {
    Layout result = whole;
    const int64_t stride = whole.strides[rows] + whole.strides[columns];
    if (length > 0) result.offset += top * whole.strides[rows] + left * whole.strides[columns];
    result = erase_dim(erase_dim(result, std::max(rows, columns)), std::min(rows, columns));
    return insert_dim(result, result.rank(), length, stride);
  };
  return view_part("diagonal", x, part(x.layout()), part(Layout(x.shape())));
}

Tensor diag(const Tensor& x, std::optional<int64_t> offset) {
  if (x.rank() == 2) return clone(diagonal(x, offset));
  check_rank("diag", x, 1, 2);
  const int64_t shift = offset.value_or(0);
  const int64_t n = x.numel() + std::abs(shift);
  Layout part(x.shape());
  part.strides[0] = n + 1;
  part.offset = x.numel() == 0 ? 0 : shift >= 0 ? shift : -shift * n;
  return place_part("diag", x, {n, n}, part);
}

Tensor unfold_dim(const Tensor& x, Dim dim, int64_t size, int64_t step) {
  const int axis = resolve_dim("unfold", dim, x.rank());
  const int64_t length = x.rank() == 0 ? 1 : x.shape()[axis];
  if (size < 0 || size > length || step <= 0)
    throw ShapeError("unfold: windows of " + std::to_string(size) + " by steps of " +
                     std::to_string(step) + " do not fit dimension " + std::to_string(axis + 1) +
                     " of " + x.shape().text());
  if (x.rank() == 0) return reshape_to(x, {1});
  const int64_t count = (length - size) / step + 1;
  const Layout windows = slice_dim(x.layout(), axis, 0, count, step);
  Tensor y = make_view(x, insert_dim(windows, x.rank(), size, x.layout().strides[axis]));
  if (!needs_grad_fn(x)) return y;
  // Windows overlap, so that the gradient is a sum: one term for each position in the window.
  set_grad_fn(y, "unfold", {x}, false,
              [=, shape = x.shape()](const GradientCall& call) -> std::vector<Tensor> {
                Tensor dx = zeros(shape, {.dtype = call.dy.dtype(), .device = call.dy.device()});
                for (int64_t i = 0; i < size; ++i) {
                  const Tensor term = select(call.dy, Dim{-1}, Position{i + 1});
                  const Layout part = slice_dim(Layout(shape), axis, i, count, step);
                  dx = add(dx, place_part("unfold", term, shape, part));
                }
                return {dx};
              });
  return y;
}

namespace {

/// Parts of x along `axis`, each `make(first, count)` of consecutive indices, whose gradients are
/// joined by one op. `counts` are the parts' lengths; with `dropped` they are 1 and the dimension
/// is removed.
template <class Make>
std::vector<Tensor> parts_of(const char* name, const Tensor& x, int axis,
                             const std::vector<int64_t>& counts, bool dropped, const Make& make) {
  std::vector<Tensor> parts;
  {
    GradientMode off(false);
    int64_t first = 0;
    for (int64_t count : counts) {
      parts.push_back(make(first, count));
      first += count;
    }
  }
  if (!needs_grad_fn(x)) return parts;
  const auto gradient = [=, shape = x.shape(), type = x.dtype(),
                         device = x.device()](const GradientCall& call) -> std::vector<Tensor> {
    std::vector<Tensor> pieces;
    for (size_t k = 0; k < counts.size(); ++k) {
      Shape part_shape = shape;
      part_shape[axis] = counts[k];
      const Tensor& part = call.parts[k];
      if (!part.defined())
        pieces.push_back(zeros(part_shape, {.dtype = type, .device = device}));
      else
        pieces.push_back(dropped ? unsqueeze(part, Dim{axis}) : part);
    }
    return {cat(pieces, Dim{axis})};
  };
  set_joint_grad_fn(parts, name, {&x, 1}, true, gradient);
  return parts;
}

}  // namespace

std::vector<Tensor> unbind(const Tensor& x, std::optional<Dim> dim) {
  check_min_rank("unbind", x, 1);
  const int axis = resolve_dim("unbind", dim.value_or(Dim{0}), x.rank());
  const std::vector<int64_t> counts(static_cast<size_t>(x.shape()[axis]), 1);
  return parts_of("unbind", x, axis, counts, true, [&](int64_t first, int64_t) {
    return select(x, Dim{axis}, Position{first + 1});
  });
}

std::vector<Tensor> split(const Tensor& x, int64_t size, std::optional<Dim> dim) {
  check_min_rank("split", x, 1);
  const int axis = resolve_dim("split", dim.value_or(Dim{0}), x.rank());
  const int64_t length = x.shape()[axis];
  check_least("split", "a length", size, 0);
  if (size == 0 && length != 0) throw ShapeError("split: the size of a part is 0");
  std::vector<int64_t> counts{std::min(size, length)};
  for (int64_t first = size; first < length; first += size)
    counts.push_back(std::min(size, length - first));
  return split_sizes(x, counts, Dim{axis});
}

std::vector<Tensor> split_sizes(const Tensor& x, const std::vector<int64_t>& sizes,
                                std::optional<Dim> dim) {
  check_min_rank("split", x, 1);
  const int axis = resolve_dim("split", dim.value_or(Dim{0}), x.rank());
  for (int64_t size : sizes) check_least("split", "a length", size, 0);
  const int64_t total = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  if (total != x.shape()[axis])
    throw ShapeError("split: the sizes add up to " + std::to_string(total) + ", dimension " +
                     std::to_string(axis + 1) + " of " + x.shape().text() + " has " +
                     std::to_string(x.shape()[axis]));
  return parts_of("split", x, axis, sizes, false,
                  [&](int64_t first, int64_t count) { return slice(x, axis, first, count); });
}

std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, std::optional<Dim> dim) {
  check_least("chunk", "the number of parts", chunks, 1);
  check_min_rank("chunk", x, 1);
  const int axis = resolve_dim("chunk", dim.value_or(Dim{0}), x.rank());
  const int64_t length = x.shape()[axis];
  if (length == 0)
    return split_sizes(x, std::vector<int64_t>(static_cast<size_t>(chunks), 0), Dim{axis});
  return split(x, (length + chunks - 1) / chunks, Dim{axis});
}

}  // namespace tide
