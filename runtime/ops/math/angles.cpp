// Functions of angles.
#include "runtime/ops/math/angles.h"

#include <numbers>

#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/math/operands.h"

namespace tide {

Tensor deg2rad(const Tensor& x) { return floating(x) * (std::numbers::pi / 180); }

Tensor rad2deg(const Tensor& x) { return floating(x) * (180 / std::numbers::pi); }

Tensor sinc(const Tensor& input) {
  const Tensor angle = floating(input);
  const Tensor x = computed(angle) * std::numbers::pi;
  const Tensor at_zero = eq(x, 0);
  const Tensor safe = where(at_zero, 1, x);
  return convert(where(at_zero, 1 - square(x) * (1.0 / 6), sin(safe) / safe), angle.dtype());
}

Tensor spherical_bessel_j0(const Tensor& input) {
  const Tensor angle = floating(input);
  const Tensor x = computed(angle);
  const Tensor at_zero = eq(x, 0), far = isinf(x);
  const Tensor safe = where(logical_or(at_zero, far), 1, x);
  const Tensor near = where(at_zero, 1 - square(x) * (1.0 / 6), sin(safe) / safe);
  return convert(where(far, 0.0, near), angle.dtype());
}

}  // namespace tide
