// Products over several dimensions, as one matrix product.
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {

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
  int64_t outside_a = 1, inside = 1, outside_b = 1;
  for (int d = 0; d < a.rank(); ++d)
    if (!(joined_a >> d & 1))
      rows.push_back(d), shape.push_back(a.shape()[d]), outside_a *= a.shape()[d];
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
      columns.push_back(d), shape.push_back(b.shape()[d]), outside_b *= b.shape()[d];
  return reshape_to(mm(reshape_to(permute(a, rows), {outside_a, inside}),
                       reshape_to(permute(b, columns), {inside, outside_b})),
                    shape);
}

}  // namespace tide
