// Views with strides chosen by the caller.
#include <algorithm>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/view.h"
#include "runtime/ops/shape/write.h"
#include "runtime/tensor/body.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

int64_t storage_size(const Tensor& x) { return x.body().cell->value->shape.numel(); }

/// The requested layout, checked against a storage of `storage` elements.
Layout checked_layout(const Sizes& size, const Sizes& stride, int64_t offset, int64_t storage) {
  check_same_count("as_strided", "strides", stride.size(), "sizes", size.size());
  if (size.size() > kMaxDims)
    throw ShapeError("as_strided: at most " + std::to_string(kMaxDims) +
                     " dimensions are possible");
  Shape shape;
  int64_t last = offset;
  bool fits = offset >= 0, empty = false;
  for (int d = 0; d < size.size(); ++d) {
    check_least("as_strided", "sizes and strides", std::min(size[d], stride[d]), 0);
    shape.push_back(size[d]);
    empty = empty || size[d] == 0;
    int64_t reach = 0;
    fits = fits && (size[d] < 2 || !__builtin_mul_overflow(size[d] - 1, stride[d], &reach)) &&
           !__builtin_add_overflow(last, reach, &last);
  }
  if (!empty && (!fits || last >= storage))
    throw ShapeError("as_strided: the view reaches beyond the storage of " +
                     std::to_string(storage) + " elements");
  Layout layout(shape);
  for (int d = 0; d < size.size(); ++d) layout.strides[d] = stride[d];
  layout.offset = empty ? 0 : offset;
  return layout;
}

/// A view of x's storage with the given layout.
Tensor shown_as(const Tensor& x, const Layout& layout) {
  Sizes size, stride;
  for (int d = 0; d < layout.rank(); ++d)
    size.push_back(layout.shape[d]), stride.push_back(layout.strides[d]);
  return as_strided(x, size, stride, layout.offset);
}

/// A view of the elements x[i][i]... of the first `count` i.
Tensor main_diagonal(const Tensor& x, int64_t count) {
  Layout layout(Shape{count}), part(Shape{count});
  const Layout dense(x.shape());
  layout.offset = x.layout().offset;
  layout.strides[0] = part.strides[0] = 0;
  for (int d = 0; d < x.rank(); ++d) {
    layout.strides[0] += x.layout().strides[d];
    part.strides[0] += dense.strides[d];
  }
  return view_part("fill_diagonal_", x, layout, part);
}

}  // namespace

Tensor as_strided(const Tensor& x, const Sizes& size, const Sizes& stride,
                  std::optional<int64_t> storage_offset) {
  const int64_t storage = storage_size(x);
  const Layout x_layout = x.layout();
  const Layout layout =
      checked_layout(size, stride, storage_offset.value_or(x_layout.offset), storage);
  const Tensor y = make_view(x, layout);
  if (!needs_grad_fn(x)) return y;
  set_grad_fn(y, "as_strided", {x}, false, [=](const GradientCall& call) -> std::vector<Tensor> {
    const Shape whole{storage};
    Tensor dx = place_part("as_strided", call.dy, whole, layout);
    // The gradient of an element that x contains several times is divided among them.
    if (!x_layout.is_injective())
      dx = dx / place_part("as_strided",
                           ones(x_layout.shape, {.dtype = dx.dtype(), .device = dx.device()}),
                           whole, x_layout);
    return {take_part("as_strided", dx, x_layout)};
  });
  return y;
}

Tensor as_strided_scatter(const Tensor& x, const Tensor& source, const Sizes& size,
                          const Sizes& stride, std::optional<int64_t> storage_offset) {
  const Layout x_layout = x.layout();
  // A copy of the entire storage, as the layout may select elements outside x.
  const Tensor copy = clone(as_strided(x, {storage_size(x)}, {1}, 0));
  const Tensor part = as_strided(copy, size, stride, storage_offset.value_or(x_layout.offset));
  check_shape("as_strided_scatter", "a source", source, part.shape());
  write("as_strided_scatter", part, source);
  return shown_as(copy, x_layout);
}

Tensor resized(const Tensor& x, const Shape& shape) {
  if (x.requires_grad())
    throw Error("resize_: a tensor that requires a gradient keeps its shape: see reshape");
  Layout dense(shape);
  dense.offset = x.layout().offset;
  const int64_t kept_size = storage_size(x) - dense.offset, missing = shape.numel() - kept_size;
  if (missing <= 0) return shown_as(x, dense);
  const Tensor padding = zeros({missing}, {.dtype = x.dtype(), .device = x.device()});
  return reshape_to(cat({as_strided(x, {kept_size}, {1}, dense.offset), padding}, Dim{0}), shape);
}

Tensor resized_as(const Tensor& x, const Tensor& other) { return resized(x, other.shape()); }

Tensor empty_strided(const Sizes& size, const Sizes& stride, const TensorOptions& options) {
  int64_t reach = 1;
  for (int d = 0; d < std::min(size.size(), stride.size()); ++d)
    if (size[d] > 1) reach += (size[d] - 1) * std::max<int64_t>(stride[d], 0);
  const Tensor storage = empty({reach}, {.dtype = options.dtype, .device = options.device});
  return finish(as_strided(storage, size, stride), options);
}

Tensor empty_permuted(const Shape& shape, const Dims& physical_layout,
                      const TensorOptions& options) {
  const unsigned named_dims = resolve_dims("empty_permuted", physical_layout, shape.rank());
  if (physical_layout.size() != shape.rank() || named_dims != (1u << shape.rank()) - 1)
    throw ShapeError("empty_permuted: each dimension of " + shape.text() + " must be named once");
  Sizes size, stride;
  for (int64_t extent : shape) size.push_back(extent), stride.push_back(1);
  int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const int d = resolve_dim("empty_permuted", Dim{physical_layout[i]}, shape.rank());
    stride[d] = step;
    step *= shape[d];
  }
  return empty_strided(size, stride, options);
}

Tensor new_empty_strided(const Tensor& x, const Sizes& size, const Sizes& stride,
                         const TensorOptions& options) {
  TensorOptions new_options = like(x, options);
  new_options.format = options.format;
  return empty_strided(size, stride, new_options);
}

void fill_diagonal_(const Tensor& x, Number value, bool wrap) {
  check_min_rank("fill_diagonal_", x, 2);
  int64_t count = x.shape()[0];
  for (int d = 1; d < x.rank(); ++d) {
    if (x.rank() > 2 && x.shape()[d] != x.shape()[0])
      throw ShapeError("fill_diagonal_: beyond matrices all sizes must be equal: " +
                       x.shape().text());
    count = std::min(count, x.shape()[d]);
  }
  if (x.numel() == 0) return;
  write("fill_diagonal_", main_diagonal(x, count), value);
  if (!wrap || x.rank() != 2) return;
  const int64_t rows = x.shape()[0], columns = x.shape()[1];
  for (int64_t first = columns + 1; first < rows; first += columns + 1) {
    const Tensor below = slice(x, 0, first, rows - first);
    write("fill_diagonal_", main_diagonal(below, std::min(rows - first, columns)), value);
  }
}

Tensor narrow_copy(const Tensor& x, Dim dim, Position start, int64_t length) {
  return clone(narrow(x, dim, start, length));
}

Tensor sum_to_size(const Tensor& x, const Shape& shape) {
  const int more = x.rank() - shape.rank();
  bool fits = more >= 0;
  Dims repeated;
  for (int d = 0; fits && d < x.rank(); ++d) {
    if (d >= more && shape[d - more] == x.shape()[d]) continue;
    fits = d < more || shape[d - more] == 1;
    repeated.push_back(d);
  }
  if (!fits)
    throw ShapeError("sum_to_size: " + shape.text() + " does not broadcast to " + x.shape().text());
  if (shape.rank() == 0) return sum(x);  // of integers and bool int64, as all sums
  return repeated.empty() ? x : reshape_to(sum(x, repeated, true), shape);
}

}  // namespace tide
