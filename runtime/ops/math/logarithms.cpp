// Logarithms composed of elementwise ops, with their limits.
#include "runtime/ops/math/logarithms.h"

#include <limits>
#include <numbers>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/math/operands.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/types/dtype.h"

namespace tide {

Tensor logit(const Tensor& input, std::optional<double> eps) {
  const Tensor x = floating(input);
  Tensor y;
  {
    GradientMode off(false);
    Tensor p = computed(x);
    if (eps) p = clamp(p, TensorOrNumber(*eps), TensorOrNumber(1 - *eps));
    y = convert(log(p / (1 - p)), x.dtype());
  }
  if (needs_grad_fn(x)) {
    set_grad_fn(
        y, "logit", {x}, false,
        [eps, x = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
          const Tensor p = computed(x.get());
          const double low = eps.value_or(0);
          const Tensor inside = logical_and(ge(p, low), le(p, 1 - low));
          const double outside = eps ? 0 : std::numeric_limits<double>::quiet_NaN();
          return {convert(where(inside, call.dy / (p * (1 - p)), outside), call.dy.dtype())};
        });
  }
  return y;
}

Tensor logaddexp2(const Tensor& x, const Tensor& y) {
  const DType type = common_type("logaddexp2", x, y);
  if (!is_floating(type)) refuse_types("logaddexp2", "expected a floating type", x, y);
  const Tensor a = convert(x, compute_type(type)), b = convert(y, compute_type(type));
  const double base = std::numbers::ln2;
  const Tensor smooth = maximum(a, b) + log1p(exp(abs(a - b) * -base)) * (1 / base);
  return convert(where(logical_and(isinf(a), eq(a, b)), a, smooth), type);  // equal infinities stay
}

Tensor entr(const Tensor& input) {
  const Tensor x = floating(input);
  Tensor y;
  {
    GradientMode off(false);
    y = where(lt(x, 0), -kInfinity, 0.0 - xlogy(x, x));
  }
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "entr", {x}, false,
                [x = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  return {call.dy * (-1.0 - log(x.get()))};
                });
  }
  return y;
}

Tensor xlog1py(const TensorOrNumber& x, const TensorOrNumber& other) {
  const DType type = floating_type(common_type("xlog1py", x, other));
  const Device device = (x.tensor.defined() ? x : other).tensor.device();
  const auto operand = [&](const TensorOrNumber& argument) {
    if (argument.tensor.defined()) return argument.tensor;
    return full({}, argument.number, {.dtype = type, .device = device});
  };
  const Tensor a = operand(x), b = operand(other);
  // Where the result is 0 regardless of the logarithm, the logarithm must not affect gradients.
  const Tensor flat = logical_and(eq(a, 0), logical_or(le(b, -1), eq(b, kInfinity)));
  return log1p(where(flat, 0.0, b)) * a;
}

}  // namespace tide
