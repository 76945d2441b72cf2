// Masks and the positions of their true elements. Shapes that depend on values require a read.

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/tensor/transfer.h"

namespace tide {
namespace {

/// All positions of true elements. Waits for their number.
Tensor count_and_place(const char* name, const Tensor& mask) {
  int64_t count = 0;
  count_nonzero(mask).read(&count, name);
  return true_positions(name, mask, count);
}

}  // namespace

Tensor true_positions(const char* op, const Tensor& mask, int64_t count) {
  const Shape shape{count, mask.rank()};
  if (shape.numel() == 0) return record_constant(nullptr, shape, DType::i64, mask.device());
  const ComputeResult result{shape, DType::i64};
  const Tensor dense = contiguous(mask);
  return record_compute(ComputeOp::nonzero, op, {&dense, 1}, {&result, 1}, {})[0];
}

std::vector<int64_t> read_integers(const char* op, const Tensor& x) {
  std::vector<int64_t> values(static_cast<size_t>(x.numel()));
  positions_of(op, x).read(values.data(), op);
  return values;
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, const TensorOrNumber& value) {
  check_bool("masked_fill", mask.dtype(), "a mask");
  if (value.tensor.defined()) check_rank("masked_fill", value.tensor, 0, "a value");
  if (!value.tensor.defined()) {
    check_fits("masked_fill", value.number, x.dtype());
    return convert(where(mask, value, x), x.dtype());
  }
  return where(mask, convert(value.tensor, x.dtype()), x);
}

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  check_bool("masked_select", mask.dtype(), "a mask");
  const Shape shape = broadcast("masked_select", x.shape(), mask.shape());
  const Tensor at = flatten(count_and_place("masked_select", ravel(broadcast_to(mask, shape))));
  return lookup_along("masked_select", ravel(broadcast_to(x, shape)), 0, at);
}

Tensor nonzero(const Tensor& x) {
  return count_and_place("nonzero", x.dtype() == DType::boolean ? x : ne(x, 0));
}

std::vector<Tensor> where_positions(const Tensor& condition) {
  const Tensor rows = nonzero(condition);
  std::vector<Tensor> positions;
  for (int d = 0; d < condition.rank(); ++d)
    positions.push_back(select(rows, Dim{1}, Position{d + 1}));
  return positions;
}

TensorOrTable nonzero_as(const Tensor& x, bool as_tuple) {
  if (!as_tuple) return nonzero(x);
  return where_positions(x.rank() == 0 ? reshape_to(x, {1}) : x);
}

}  // namespace tide
