// Weighted sums of elements by position. The sum is linear in the elements and in the weights, so
// that each gradient's own gradients are the other two ops.
#include "runtime/ops/nn/blend_taps.h"

#include "runtime/autograd/autograd.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"

namespace tide {
namespace {

constexpr const char* kName = "grid_sample";

Tensor weight_gradient(const Tensor& dy, const Tensor& x, const Tensor& positions);

Tensor record(ComputeOp op, std::vector<Tensor> inputs, const Shape& shape, DType type) {
  for (Tensor& input : inputs) input = contiguous(input);
  const ComputeResult result{shape, type};
  return record_compute(op, kName, inputs, {&result, 1}, {})[0];
}

/// The gradient of x, of whose rows each has `size` elements.
Tensor input_gradient(const Tensor& dy, const Tensor& positions, const Tensor& weights,
                      int64_t size) {
  std::vector<Tensor> inputs{dy, positions}, from{dy};
  if (weights.defined()) inputs.push_back(weights), from.push_back(weights);
  const Tensor dx = record(ComputeOp::blend_taps_backward_input, inputs,
                           {dy.shape()[0], dy.shape()[1], size}, dy.dtype());
  if (!needs_grad_fn(dy) && !(weights.defined() && needs_grad_fn(weights))) return dx;
  set_grad_fn(dx, kName, from, false,
              [dy = Saved(dy), positions = Saved(positions),
               weights = weights.defined() ? std::optional(Saved(weights)) : std::nullopt](
                  const GradientCall& call) -> std::vector<Tensor> {
                std::vector<Tensor> result(weights ? 2 : 1);
                const Tensor at = positions.get();
                if (call.needed[0])
                  result[0] = blend_taps(call.dy, at, weights ? weights->get() : Tensor());
                if (weights && call.needed[1]) result[1] = weight_gradient(dy.get(), call.dy, at);
                return result;
              });
  return dx;
}

/// The gradient of the weights.
Tensor weight_gradient(const Tensor& dy, const Tensor& x, const Tensor& positions) {
  const Tensor dw = record(ComputeOp::blend_taps_backward_weight, {dy, x, positions},
                           positions.shape(), compute_type(x.dtype()));
  if (!needs_grad_fn(dy) && !needs_grad_fn(x)) return dw;
  set_grad_fn(dw, kName, {dy, x}, false,
              [dy = Saved(dy), x = Saved(x),
               positions = Saved(positions)](const GradientCall& call) -> std::vector<Tensor> {
                std::vector<Tensor> result(2);
                const Tensor at = positions.get(), rows = x.get();
                if (call.needed[0]) result[0] = blend_taps(rows, at, call.dy);
                if (call.needed[1])
                  result[1] = input_gradient(dy.get(), at, call.dy, rows.shape()[2]);
                return result;
              });
  return dw;
}

}  // namespace

Tensor blend_taps(const Tensor& x, const Tensor& positions, const Tensor& weights) {
  std::vector<Tensor> inputs{x, positions}, from{x};
  if (weights.defined()) inputs.push_back(weights), from.push_back(weights);
  const Tensor y = record(ComputeOp::blend_taps, inputs,
                          {x.shape()[0], x.shape()[1], positions.shape()[2]}, x.dtype());
  if (!needs_grad_fn(x) && !(weights.defined() && needs_grad_fn(weights))) return y;
  set_grad_fn(y, kName, from, false,
              [x = Saved(x), positions = Saved(positions),
               weights = weights.defined() ? std::optional(Saved(weights)) : std::nullopt](
                  const GradientCall& call) -> std::vector<Tensor> {
                std::vector<Tensor> result(weights ? 2 : 1);
                const Tensor at = positions.get(), rows = x.get();
                if (call.needed[0])
                  result[0] = input_gradient(call.dy, at, weights ? weights->get() : Tensor(),
                                             rows.shape()[2]);
                if (weights && call.needed[1]) result[1] = weight_gradient(call.dy, rows, at);
                return result;
              });
  return y;
}

}  // namespace tide
