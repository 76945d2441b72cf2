// Matrices from diagonals, and the positions of triangles.
#include "runtime/ops/shape/diagonals.h"

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/write.h"

namespace tide {
namespace {

/// The positions of a matrix's elements on and above (upper) or below a diagonal, row by row.
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

}  // namespace

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

}  // namespace tide
