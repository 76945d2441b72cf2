// Records checks.
#include "runtime/ops/require.h"

#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/tensor/record.h"

namespace tide {
namespace {

/// x without dimensions repeated by broadcasting.
Tensor each_once(const Tensor& x) {
  Layout layout = x.layout();
  bool repeats = false;
  for (int d = 0; d < layout.rank(); ++d) {
    if (layout.strides[d] != 0 || layout.shape[d] == 1) continue;
    layout.shape[d] = 1;
    repeats = true;
  }
  return repeats ? make_view(x, layout) : x;
}

/// `value`, made dependent on the check of `condition`.
Tensor checked(const char* op, const RequireAttributes& attributes, const Tensor& condition,
               const Tensor& value, const Tensor& needed = {}) {
  if (condition.numel() == 0) return value;
  std::vector<Tensor> inputs{each_once(condition)};
  if (needed.defined() && needed.numel() > 0) {
    Layout first{Shape()};
    first.offset = needed.layout().offset;
    inputs.push_back(alias(needed, first));
  }
  const ComputeResult zero{Shape(), condition.dtype()};
  const Tensor result =
      record_compute(ComputeOp::require, op, inputs, {&zero, 1}, pack(attributes))[0];
  // Adding the 0 is fused into its consumers.
  return add(value, result);
}

}  // namespace

Tensor require(const char* op, Requirement requirement, const Tensor& condition,
               const Tensor& value) {
  return checked(op, {requirement, 0}, condition, value);
}

Tensor require_positions(const char* op, const Tensor& positions, int64_t limit, const Tensor& of) {
  return checked(op, {Requirement::position, limit}, positions, positions, of);
}

}  // namespace tide
