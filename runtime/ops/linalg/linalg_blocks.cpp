// Checks and small matrices of linear algebra.
#include "runtime/ops/linalg/linalg_blocks.h"

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {

void check_matrix(const char* op, const Tensor& a) {
  check_min_rank(op, a, 2);
  check_float32_or_float64(op, a.dtype());
}

void check_square(const char* op, const Tensor& a) {
  check_matrix(op, a);
  if (rows_of(a) != columns_of(a))
    throw ShapeError(std::string(op) + ": expected a square matrix, got " + a.shape().text());
}

Shape stack_shape(const Tensor& a, std::initializer_list<int64_t> last) {
  Shape shape;
  for (int d = 0; d < a.rank() - 2; ++d) shape.push_back(a.shape()[d]);
  for (int64_t size : last) shape.push_back(size);
  return shape;
}

std::pair<Tensor, Tensor> broadcast_stacks(const char* op, const Tensor& a, const Tensor& b) {
  const Shape leading = broadcast(op, stack_shape(a, {}), stack_shape(b, {}));
  const auto spread = [&](const Tensor& x) {
    Shape shape = leading;
    shape.push_back(rows_of(x));
    shape.push_back(columns_of(x));
    return broadcast_to(x, shape);
  };
  return {spread(a), spread(b)};
}

Tensor identity_like(const Tensor& like, int64_t n) {
  return eye(n, {}, {.dtype = like.dtype(), .device = like.device()});
}

Tensor as_row(const Tensor& vectors) { return unsqueeze(vectors, Dim{-2}); }

Tensor as_column(const Tensor& vectors) { return unsqueeze(vectors, Dim{-1}); }

Tensor diagonal_matrix(const Tensor& vectors) {
  const int64_t n = vectors.shape()[vectors.rank() - 1];
  const Tensor mask = eye(n, {}, {.dtype = DType::boolean, .device = vectors.device()});
  // Selects instead of multiplying, as 0 times infinity is not 0.
  return where(mask, as_column(vectors), 0);
}

}  // namespace tide
