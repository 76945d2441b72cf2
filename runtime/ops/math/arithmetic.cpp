// Arithmetic composed of elementwise ops.
#include "runtime/ops/math/arithmetic.h"

#include <limits>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/math/operands.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/dtype.h"

namespace tide {

Tensor positive(const Tensor& x) {
  check_numbers("positive", x);
  return x;
}

Tensor rsub(const Tensor& x, const TensorOrNumber& other, std::optional<Number> alpha) {
  return sub(other, x, alpha);
}

Tensor heaviside(const Tensor& x, const Tensor& values) {
  check_same_type("heaviside", x.dtype(), values.dtype());
  return where(eq(x, 0), values, convert(gt(x, 0), x.dtype()));
}

Tensor nan_to_num(const Tensor& x, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
  if (!is_floating(x.dtype())) return clone(x);
  const double top = largest_of(x.dtype());
  const Tensor finite = where(isnan(x), nan.value_or(0), x);
  const Tensor high = where(eq(finite, kInfinity), posinf.value_or(top), finite);
  return where(eq(high, -kInfinity), neginf.value_or(-top), high);
}

Tensor float_power(const TensorOrNumber& a, const TensorOrNumber& b) {
  const auto wide = [](const TensorOrNumber& x) -> TensorOrNumber {
    if (x.tensor.defined()) return convert(x.tensor, DType::f64);
    return x.number.as_double();
  };
  return pow(wide(a), wide(b));
}

Tensor ldexp(const Tensor& x, const Tensor& other) {
  const DType type = floating_type(common_type("ldexp", x, other));
  const DType wide = compute_type(type);
  return convert(convert(x, wide) * exp2(convert(other, wide)), type);
}

std::tuple<Tensor, Tensor> frexp(const Tensor& x) {
  check_floating("frexp", x.dtype());
  Tensor exponent;
  {
    GradientMode off(false);
    // In f64, where denormal numbers of the other types are normal. Those of f64 are scaled up
    // first; the logarithm may be rounded to the next integer.
    const Tensor size = abs(convert(x, DType::f64));
    const Tensor ordinary = logical_and(gt(size, 0), isfinite(size));
    const Tensor tiny = lt(size, std::numeric_limits<double>::min());
    const Tensor safe = where(ordinary, where(tiny, size * 0x1p64, size), 1.0);
    const Tensor guess = floor(log2(safe)) + 1;
    // Halved twice: 2^1024 overflows f64.
    const Tensor fraction = safe * 0.5 * exp2(1 - guess);
    const Tensor corrected =
        guess + where(ge(fraction, 1), 1.0, where(lt(fraction, 0.5), -1.0, 0.0));
    exponent = where(ordinary, corrected - where(tiny, 64.0, 0.0), 0.0);
  }
  const Tensor half = floor(exponent * 0.5);
  const Tensor mantissa = convert(x, DType::f64) * exp2(-half) * exp2(half - exponent);
  return {convert(mantissa, x.dtype()), convert(exponent, DType::i32)};
}

}  // namespace tide
