// Softmax and its relatives: recorded as elementwise ops and two row reductions, which the planner
// fuses into one kernel, with gradients that do not read the input again.
#include "runtime/ops/nn/softmax.h"

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduce.h"
#include "runtime/tensor/record.h"

namespace tide {
namespace {

/// x in the requested type, which must be floating.
Tensor floating_input(const char* name, const Tensor& input, std::optional<DType> dtype) {
  const Tensor x = dtype ? convert(input, *dtype) : input;
  check_floating(name, x.dtype());
  return x;
}

/// x - max(x), in the computation type and without a grad function.
Tensor shifted(const char* name, const Tensor& x, unsigned dims) {
  const Tensor wide = convert_raw(name, x, compute_type(x.dtype()));
  const Tensor top = reduce_raw(Reduction::max, name, wide, dims, true);
  return record_map(ElementwiseOp::sub, name, wide.dtype(), wide.dtype(), {wide, top});
}

/// dx = y * (dy - sum(dy * y))
Tensor softmax_gradient(const Tensor& y, const Tensor& dy, unsigned dims) {
  const DType type = compute_type(y.dtype());
  const Tensor wide = convert(y, type), slope = convert(dy, type);
  return convert(wide * (slope - sum_over(slope * wide, dims, true)), y.dtype());
}

/// dx = dy - exp(y) * sum(dy)
Tensor log_softmax_gradient(const Tensor& y, const Tensor& dy, unsigned dims) {
  const DType type = compute_type(y.dtype());
  const Tensor slope = convert(dy, type);
  return convert(slope - exp(convert(y, type)) * sum_over(slope, dims, true), y.dtype());
}

Tensor with_gradient(const char* name, const Tensor& x, const Tensor& y, unsigned dims,
                     Tensor (*gradient)(const Tensor& y, const Tensor& dy, unsigned dims)) {
  if (needs_grad_fn(x)) {
    set_grad_fn(y, name, {x}, true,
                [gradient, dims](const GradientCall& call) -> std::vector<Tensor> {
                  return {gradient(call.y, call.dy, dims)};
                });
  }
  return y;
}

}  // namespace

Tensor softmax(const Tensor& input, Dim dim, std::optional<DType> dtype) {
  const Tensor x = floating_input("softmax", input, dtype);
  const unsigned dims = 1u << resolve_dim("softmax", dim, x.rank());
  if (x.numel() == 0) return x * 1.0;
  const Tensor shift = shifted("softmax", x, dims);
  const DType type = shift.dtype();
  const auto map = [&](ElementwiseOp op, std::initializer_list<TensorOrNumber> arguments) {
    return record_map(op, "softmax", type, type, arguments);
  };
  const Tensor e = map(ElementwiseOp::exp, {shift});
  const Tensor total = reduce_raw(Reduction::sum, "softmax", e, dims, true);
  // One division for each row: the total is at least 1.
  const Tensor y = map(ElementwiseOp::mul, {e, map(ElementwiseOp::reciprocal, {total})});
  return with_gradient("softmax", x, convert_raw("softmax", y, x.dtype()), dims, softmax_gradient);
}

Tensor log_softmax(const Tensor& input, Dim dim, std::optional<DType> dtype) {
  const Tensor x = floating_input("log_softmax", input, dtype);
  const unsigned dims = 1u << resolve_dim("log_softmax", dim, x.rank());
  if (x.numel() == 0) return x * 1.0;
  const Tensor shift = shifted("log_softmax", x, dims);
  const DType type = shift.dtype();
  const auto map = [&](ElementwiseOp op, std::initializer_list<TensorOrNumber> arguments) {
    return record_map(op, "log_softmax", type, type, arguments);
  };
  const Tensor total =
      reduce_raw(Reduction::sum, "log_softmax", map(ElementwiseOp::exp, {shift}), dims, true);
  const Tensor y = map(ElementwiseOp::sub, {shift, map(ElementwiseOp::log, {total})});
  return with_gradient("log_softmax", x, convert_raw("log_softmax", y, x.dtype()), dims,
                       log_softmax_gradient);
}

Tensor softmin(const Tensor& x, Dim dim, std::optional<DType> dtype) {
  return softmax(neg(x), dim, dtype);
}

}  // namespace tide
