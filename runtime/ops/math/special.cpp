// Functions composed of elementwise ops, which fuse into one kernel anyway.
#include "runtime/ops/math/special.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/math/operands.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/dtype.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// x in the computation type: half types would round at each step.
Tensor computed(const Tensor& x) { return convert(x, compute_type(x.dtype())); }

}  // namespace

Tensor logit(const Tensor& input, std::optional<double> eps) {
  const Tensor given = floating(input);
  Tensor y;
  {
    GradientMode off(false);
    Tensor p = computed(given);
    if (eps) p = clamp(p, TensorOrNumber(*eps), TensorOrNumber(1 - *eps));
    y = convert(log(p / (1 - p)), given.dtype());
  }
  if (needs_grad_fn(given)) {
    set_grad_fn(
        y, "logit", {given}, false,
        [eps, given = Saved(given)](const GradientCall& call) -> std::vector<Tensor> {
          const Tensor p = computed(given.get());
          const double low = eps.value_or(0);
          const Tensor inside = logical_and(ge(p, low), le(p, 1 - low));
          const double outside = eps ? 0 : std::numeric_limits<double>::quiet_NaN();
          return {convert(where(inside, call.dy / (p * (1 - p)), outside), call.dy.dtype())};
        });
  }
  return y;
}

Tensor sinc(const Tensor& input) {
  const Tensor given = floating(input);
  const Tensor x = computed(given) * std::numbers::pi;
  const Tensor at_zero = eq(x, 0);
  const Tensor safe = where(at_zero, 1, x);
  return convert(where(at_zero, 1 - square(x) * (1.0 / 6), sin(safe) / safe), given.dtype());
}

Tensor spherical_bessel_j0(const Tensor& input) {
  const Tensor given = floating(input);
  const Tensor x = computed(given);
  const Tensor at_zero = eq(x, 0), far = isinf(x);
  const Tensor safe = where(logical_or(at_zero, far), 1, x);
  const Tensor near = where(at_zero, 1 - square(x) * (1.0 / 6), sin(safe) / safe);
  return convert(where(far, 0.0, near), given.dtype());
}

Tensor deg2rad(const Tensor& x) { return floating(x) * (std::numbers::pi / 180); }

Tensor rad2deg(const Tensor& x) { return floating(x) * (180 / std::numbers::pi); }

Tensor logaddexp2(const Tensor& given_a, const Tensor& given_b) {
  const DType type = common_type("logaddexp2", given_a, given_b);
  if (!is_floating(type)) refuse_types("logaddexp2", "expected a floating type", given_a, given_b);
  const Tensor a = convert(given_a, compute_type(type)), b = convert(given_b, compute_type(type));
  const double base = std::numbers::ln2;
  const Tensor smooth = maximum(a, b) + log1p(exp(abs(a - b) * -base)) * (1 / base);
  return convert(where(logical_and(isinf(a), eq(a, b)), a, smooth), type);  // equal infinities stay
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

Tensor signbit(const Tensor& x) {
  if (!is_floating(x.dtype())) return lt(x, 0);
  return lt(copysign(ones_like(x), detach(x)), 0);
}

Tensor isposinf(const Tensor& x) { return is_floating(x.dtype()) ? eq(x, kInfinity) : ne(x, x); }

Tensor isneginf(const Tensor& x) { return is_floating(x.dtype()) ? eq(x, -kInfinity) : ne(x, x); }

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

Tensor multigammaln(const Tensor& input, int64_t p) {
  constexpr int64_t kMost = 4096;
  check_between("multigammaln", "p", p, 1, kMost);
  const Tensor x = floating(input);
  const auto size = static_cast<double>(p);
  const Tensor halves = arange(0.0, size / 2, 0.5, {.dtype = x.dtype(), .device = x.device()});
  return sum(lgamma(unsqueeze(x, Dim{-1}) - halves), Dims{-1}) +
         size * (size - 1) / 4 * std::log(std::numbers::pi);
}

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

Tensor positive(const Tensor& x) {
  check_numbers("positive", x);
  return x;
}

Tensor rsub(const Tensor& x, const TensorOrNumber& other, std::optional<Number> alpha) {
  return sub(other, x, alpha);
}

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
    const Tensor share = safe * 0.5 * exp2(1 - guess);
    const Tensor right = guess + where(ge(share, 1), 1.0, where(lt(share, 0.5), -1.0, 0.0));
    exponent = where(ordinary, right - where(tiny, 64.0, 0.0), 0.0);
  }
  const Tensor half = floor(exponent * 0.5);
  const Tensor mantissa = convert(x, DType::f64) * exp2(-half) * exp2(half - exponent);
  return {convert(mantissa, x.dtype()), convert(exponent, DType::i32)};
}

}  // namespace tide
