// Copies of tensors in which a part is replaced.
#include "runtime/ops/index/part_scatter.h"

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/write.h"

namespace tide {
namespace {

/// A copy of x with `source` written into the part that `view` selects.
template <class View>
Tensor with_part(const char* op, const Tensor& x, const Tensor& source, const View& view) {
  const Tensor y = clone(x);
  const Tensor part = view(y);
  check_shape(op, "a source", source, part.shape());
  write(op, part, source);
  return y;
}

}  // namespace

Tensor select_scatter(const Tensor& x, const Tensor& source, Dim dim, Position index) {
  return with_part("select_scatter", x, source,
                   [&](const Tensor& y) { return select(y, dim, index); });
}

Tensor slice_scatter(const Tensor& x, const Tensor& source, std::optional<Dim> dim,
                     std::optional<Position> first, std::optional<Position> last,
                     std::optional<int64_t> step) {
  const char* op = "slice_scatter";
  const int axis = resolve_dim(op, dim.value_or(Dim{0}), x.rank());
  check_min_rank("slice_scatter", x, 1);
  const int64_t size = x.shape()[axis], by = step.value_or(1);
  check_least("slice_scatter", "the step", by, 1);
  const int64_t begin = first ? resolve_position(op, *first, size) : 0;
  const int64_t end = last ? resolve_position(op, *last, size) : size - 1;
  const int64_t count = end < begin ? 0 : (end - begin) / by + 1;
  return with_part(op, x, source,
                   [&](const Tensor& y) { return slice(y, axis, begin, count, by); });
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
  // Each selected position takes the next element; the others read the first and discard it.
  const Tensor order = reshape_to(cumsum(flatten(chosen), Dim{0}), shape);
  const Tensor values = take(source, where(chosen, order, 1));
  return where(chosen, values, broadcast_to(x, shape));
}

}  // namespace tide
