// Recording functions of pairs.
#include "runtime/ops/math/record_pair.h"

#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/tensor/transfer.h"

namespace tide {

Tensor record_pair(PairFunction function, const char* name, DType type, const Tensor& a,
                   const Tensor& b) {
  const Shape shape = broadcast(name, a.shape(), b.shape());
  const auto operand = [&](const Tensor& x, const Tensor& other) {
    // As for all ops, a 0-d cpu tensor can be combined with any device.
    const Tensor here = x.rank() == 0 && x.device() != other.device() && x.device() == Device{}
                            ? record_transfer(x, other.device())
                            : x;
    return broadcast_to(convert(here, type), shape);
  };
  const Tensor inputs[] = {operand(a, b), operand(b, a)};
  const ComputeResult result{shape, type};
  const auto attributes = pack(PairAttributes{function});
  return record_compute(ComputeOp::pair_function, name, inputs, {&result, 1}, attributes)[0];
}

}  // namespace tide
