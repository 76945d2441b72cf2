// Joins tensors: cat, stack, meshgrid and relatives.
#include "runtime/ops/shape/joining.h"

#include <algorithm>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/view.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// The type to which all promote.
DType common_type(const std::vector<Tensor>& tensors) {
  DType type = tensors[0].dtype();
  Weight weight = tensors[0].rank() ? Weight::dimensioned : Weight::scalar;
  for (const Tensor& x : tensors) {
    const Weight part_weight = x.rank() ? Weight::dimensioned : Weight::scalar;
    type = promote(type, weight, x.dtype(), part_weight);
    weight = std::max(weight, part_weight);
  }
  return type;
}

/// Empty vectors can be joined with any shape: loops start from them.
bool is_nothing(const Tensor& x) { return x.shape() == Shape{0}; }

/// The shape of the tensors concatenated along dim; the first must not be an empty vector.
Shape joined_shape(const char* name, const std::vector<Tensor>& tensors, const Shape& first,
                   int dim) {
  Shape shape = first;
  shape[dim] = 0;
  for (const Tensor& x : tensors) {
    if (is_nothing(x)) continue;
    bool fits = x.rank() == shape.rank();
    for (int d = 0; fits && d < shape.rank(); ++d) fits = d == dim || x.shape()[d] == shape[d];
    if (!fits)
      throw ShapeError(std::string(name) + ": sizes must match except in dimension " +
                       std::to_string(dim + 1) + ": " + first.text() + " and " + x.shape().text());
    shape[dim] += x.shape()[dim];
  }
  return shape;
}

/// Joins along a dimension that all tensors except empty vectors have. `first` is the shape of the
/// first tensor that is not an empty vector.
Tensor join(const char* name, const std::vector<Tensor>& tensors, const Shape& first, int dim) {
  const Shape shape = joined_shape(name, tensors, first, dim);
  const DType type = common_type(tensors);
  const Tensor y = record_room(name, shape, type, tensors[0].device());
  int64_t begin = 0;
  for (const Tensor& x : tensors) {
    if (is_nothing(x)) continue;
    const int64_t count = x.shape()[dim];
    if (x.numel() > 0)
      record_fill(name, make_view(y, slice_dim(y.layout(), dim, begin, count, 1)), x);
    begin += count;
  }
  if (std::any_of(tensors.begin(), tensors.end(), needs_grad_fn)) {
    std::vector<std::pair<Shape, DType>> parts;
    for (const Tensor& x : tensors) parts.emplace_back(x.shape(), x.dtype());
    set_grad_fn(y, name, tensors, false, [dim, parts = std::move(parts)](const GradientCall& call) {
      std::vector<Tensor> result(parts.size());
      int64_t at = 0;
      for (size_t i = 0; i < parts.size(); ++i) {
        const auto& [part_shape, type] = parts[i];
        const bool nothing = part_shape == Shape{0};
        const int64_t count = nothing ? 0 : part_shape[dim];
        if (call.needed[i])
          result[i] = reshape_to(convert(slice(call.dy, dim, at, count), type), part_shape);
        at += count;
      }
      return result;
    });
  }
  return y;
}

/// Planes (n, c, h, w) that are all channels last, joined likewise.
Tensor join_channels_last(const std::vector<Tensor>& tensors, int dim) {
  std::vector<Tensor> turned;
  for (const Tensor& x : tensors) turned.push_back(permute(x, {0, 2, 3, 1}));
  constexpr int kTurned[] = {0, 3, 1, 2};
  return permute(join("cat", turned, turned[0].shape(), kTurned[dim]), {0, 3, 1, 2});
}

/// x with at least `rank` dimensions; new ones come first.
Tensor at_least(const Tensor& x, int rank) {
  Tensor y = x;
  while (y.rank() < rank) y = unsqueeze(y, Dim{0});
  return y;
}

}  // namespace

Tensor cat(const std::vector<Tensor>& tensors, std::optional<Dim> dim) {
  check_any_tensor("cat", tensors);
  const Tensor* first = nullptr;
  for (const Tensor& x : tensors) {
    if (x.rank() == 0)
      throw ShapeError("cat: a tensor without dimensions cannot be joined: use stack");
    if (!first && !is_nothing(x)) first = &x;
  }
  if (!first) first = &tensors[0];
  const int axis = resolve_dim("cat", dim.value_or(Dim{0}), first->rank());
  joined_shape("cat", tensors, first->shape(), axis);  // checks that the tensors fit
  const auto lies_channels_last = [](const Tensor& x) { return x.layout().is_channels_last(); };
  return std::ranges::all_of(tensors, lies_channels_last)
             ? join_channels_last(tensors, axis)
             : join("cat", tensors, first->shape(), axis);
}

Tensor stack(const std::vector<Tensor>& tensors, std::optional<Dim> dim) {
  check_any_tensor("stack", tensors);
  const int axis = resolve_new_dim("stack", dim.value_or(Dim{0}), tensors[0].rank());
  std::vector<Tensor> parts;
  for (const Tensor& x : tensors) {
    if (!(x.shape() == tensors[0].shape()))
      throw ShapeError("stack: the shapes differ: " + tensors[0].shape().text() + " and " +
                       x.shape().text());
    parts.push_back(unsqueeze(x, Dim{axis}));
  }
  return join("stack", parts, parts[0].shape(), axis);
}

Tensor hstack(const std::vector<Tensor>& tensors) {
  check_any_tensor("hstack", tensors);
  std::vector<Tensor> parts;
  for (const Tensor& x : tensors) parts.push_back(at_least(x, 1));
  return join("hstack", parts, parts[0].shape(), parts[0].rank() == 1 ? 0 : 1);
}

Tensor vstack(const std::vector<Tensor>& tensors) {
  check_any_tensor("vstack", tensors);
  std::vector<Tensor> parts;
  for (const Tensor& x : tensors) parts.push_back(at_least(x, 2));
  return join("vstack", parts, parts[0].shape(), 0);
}

std::vector<Tensor> meshgrid(const std::vector<Tensor>& axes,
                             const std::optional<std::string>& indexing) {
  check_any_tensor("meshgrid", axes);
  const std::string order = indexing.value_or("ij");
  choose("meshgrid", "indexing", order, {"ij", "xy"});
  const int rank = static_cast<int>(axes.size());
  // "xy" counts columns first: the first two axes are swapped.
  const auto dim_of = [&](int axis) {
    return order == "xy" && rank > 1 && axis < 2 ? 1 - axis : axis;
  };
  Shape shape;
  for (int d = 0; d < rank; ++d) shape.push_back(axes[static_cast<size_t>(dim_of(d))].numel());
  std::vector<Tensor> grids;
  for (int axis = 0; axis < rank; ++axis) {
    const Tensor& x = axes[static_cast<size_t>(axis)];
    check_max_rank("meshgrid", x, 1);
    check_same_type("meshgrid", axes[0].dtype(), x.dtype());
    Shape across;
    for (int d = 0; d < rank; ++d) across.push_back(d == dim_of(axis) ? x.numel() : 1);
    grids.push_back(broadcast_to(reshape_to(x, across), shape));
  }
  return grids;
}

Tensor kron(const Tensor& a, const Tensor& b) {
  const int rank = std::max(a.rank(), b.rank());
  const Tensor left = at_least(a, rank), right = at_least(b, rank);
  Shape outer, inner, joined;
  for (int d = 0; d < rank; ++d) {
    outer.push_back(left.shape()[d]);
    outer.push_back(1);
    inner.push_back(1);
    inner.push_back(right.shape()[d]);
    joined.push_back(left.shape()[d] * right.shape()[d]);
  }
  return reshape_to(mul(reshape_to(left, outer), reshape_to(right, inner)), joined);
}

}  // namespace tide
