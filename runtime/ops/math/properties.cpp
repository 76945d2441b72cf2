// Properties of tensors and of their elements.
#include "runtime/ops/math/properties.h"

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/math/operands.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/types/dtype.h"
#include "runtime/types/error.h"

namespace tide {

Tensor isclose(const Tensor& a, const Tensor& b, std::optional<double> rtol,
               std::optional<double> atol, bool equal_nan) {
  check_same_type("isclose", a.dtype(), b.dtype());
  check_non_negative("isclose", "rtol", rtol.value_or(0));
  check_non_negative("isclose", "atol", atol.value_or(0));
  GradientMode off(false);
  Tensor close = eq(a, b);
  if (equal_nan && is_floating(a.dtype()))
    close = logical_or(close, logical_and(isnan(a), isnan(b)));
  const Tensor x = is_floating(a.dtype()) ? a : convert(a, DType::f64);
  const Tensor y = is_floating(b.dtype()) ? b : convert(b, DType::f64);
  const Tensor near = le(abs(x - y), abs(y) * rtol.value_or(1e-5) + atol.value_or(1e-8));
  return logical_or(close, logical_and(near, isfinite(y)));
}

bool allclose(const Tensor& a, const Tensor& b, std::optional<double> rtol,
              std::optional<double> atol, bool equal_nan) {
  bool result;
  all(isclose(a, b, rtol, atol, equal_nan)).read(&result, "allclose");
  return result;
}

Tensor signbit(const Tensor& x) {
  if (!is_floating(x.dtype())) return lt(x, 0);
  return lt(copysign(ones_like(x), detach(x)), 0);
}

Tensor isposinf(const Tensor& x) { return is_floating(x.dtype()) ? eq(x, kInfinity) : ne(x, x); }

Tensor isneginf(const Tensor& x) { return is_floating(x.dtype()) ? eq(x, -kInfinity) : ne(x, x); }

Tensor isreal(const Tensor& x) {
  return full(x.shape(), Number(true), {.dtype = DType::boolean, .device = x.device()});
}

bool is_nonzero(const Tensor& x) {
  if (x.numel() != 1) throw ShapeError("is_nonzero: expected one element, got " + x.shape().text());
  bool result;
  ne(x, 0).read(&result, "is_nonzero");
  return result;
}

bool is_same_size(const Tensor& x, const Tensor& other) { return x.shape() == other.shape(); }

bool is_signed(const Tensor& x) { return x.dtype() != DType::u8 && x.dtype() != DType::boolean; }

bool is_complex(const Tensor&) { return false; }

}  // namespace tide
