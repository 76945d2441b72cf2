// Ops on two operands: arithmetic, comparison, logic, bits.
#include "runtime/ir/definitions/arithmetic_math.h"
#include "runtime/ir/definitions/comparison_math.h"
#include "runtime/ops/elementwise/elementwise_record.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/math/special.h"
#include "runtime/ops/require.h"
#include "runtime/ops/shape/creation.h"

namespace tide {
namespace {

/// Computes in `type` and gives it.
template <class Definition>
Tensor binary(ElementwiseOp op, const char* name, DType type, const TensorOrNumber& a,
              const TensorOrNumber& b) {
  const TensorOrNumber operands[] = {a, b};
  return record_differentiable<Definition>(op, name, type, type, operands);
}

template <class Definition>
Tensor promoted(ElementwiseOp op, const char* name, const TensorOrNumber& a,
                const TensorOrNumber& b) {
  return binary<Definition>(op, name, common_type(name, a, b), a, b);
}

/// Integers and bool compute in f32.
template <class Definition>
Tensor floating(ElementwiseOp op, const char* name, const TensorOrNumber& a,
                const TensorOrNumber& b) {
  return binary<Definition>(op, name, floating_type(common_type(name, a, b)), a, b);
}

/// One operand at least is floating.
template <class Definition>
Tensor needs_floating(ElementwiseOp op, const char* name, const TensorOrNumber& a,
                      const TensorOrNumber& b) {
  const DType type = common_type(name, a, b);
  if (!is_floating(type)) refuse_types(name, "a floating type is needed", a, b);
  return binary<Definition>(op, name, type, a, b);
}

/// Operands may be bool, but not both.
template <class Definition>
Tensor numeric(ElementwiseOp op, const char* name, const TensorOrNumber& a,
               const TensorOrNumber& b) {
  const DType type = common_type(name, a, b);
  if (type == DType::boolean) refuse_types(name, "needs numbers", a, b);
  return binary<Definition>(op, name, type, a, b);
}

/// A divisor of integers: a number is checked here, the elements of a tensor when the queue runs.
TensorOrNumber nonzero_divisor(const char* name, const TensorOrNumber& b, DType type) {
  if (b.tensor.defined()) {
    const Tensor divisor = convert(b.tensor, type);
    return require(name, Requirement::nonzero_divisor, divisor, divisor);
  }
  if (b.number.as_integer() == 0)
    throw Error(std::string(name) + ": " + unmet(Requirement::nonzero_divisor));
  return b;
}

/// As `numeric`; integers have no quotient by 0. What has no elements is divided by anything.
template <class Definition>
Tensor division(ElementwiseOp op, const char* name, const TensorOrNumber& a,
                const TensorOrNumber& b) {
  const DType type = common_type(name, a, b);
  const bool nothing = a.tensor.defined() && a.tensor.numel() == 0;
  if (!is_integer(type) || nothing) return numeric<Definition>(op, name, a, b);
  return binary<Definition>(op, name, type, a, nonzero_divisor(name, b, type));
}

Tensor test(ElementwiseOp op, const char* name, const TensorOrNumber& a, const TensorOrNumber& b) {
  const TensorOrNumber operands[] = {a, b};
  return record_map(op, name, DType::boolean, common_type(name, a, b), operands);
}

Tensor bitwise(ElementwiseOp op, const char* name, const TensorOrNumber& a,
               const TensorOrNumber& b) {
  const DType type = common_type(name, a, b);
  if (is_floating(type)) refuse_types(name, "needs integers or bool", a, b);
  const TensorOrNumber operands[] = {a, b};
  return record_map(op, name, type, type, operands);
}

Tensor shift(ElementwiseOp op, const char* name, const TensorOrNumber& a, const TensorOrNumber& b) {
  const DType type = common_type(name, a, b);
  if (!is_integer(type)) refuse_types(name, "needs integers", a, b);
  const TensorOrNumber operands[] = {a, b};
  return record_map(op, name, type, type, operands);
}

/// a + alpha * b or a - alpha * b, where alpha is not 1.
template <class Definition>
Tensor scaled_sum(ElementwiseOp op, const char* name, const TensorOrNumber& a,
                  const TensorOrNumber& b, Number alpha) {
  const DType type = common_type(name, a, b);
  if (alpha.type() == DType::f64 && !is_floating(type))
    refuse_types(name, "alpha must be of the operands' kind", a, b);
  check_element(name, alpha, type);
  const TensorOrNumber operands[] = {a, b, alpha};
  return record_differentiable<Definition>(op, name, type, type, operands);
}

bool is_one(const std::optional<Number>& alpha) { return !alpha || alpha->as_double() == 1.0; }

/// x to the power of a number that has a faster and better way; undefined for others.
Tensor easy_power(const Tensor& x, double power) {
  if (power == 2.0) return square(x);
  if (!is_floating(x.dtype())) return Tensor();
  if (power == 0.5) return sqrt(x);
  if (power == -1.0) return reciprocal(x);
  if (power == -0.5) return rsqrt(x);
  // A half type would round the square.
  if (power == 3.0 && !is_half(x.dtype())) return square(x) * x;
  return Tensor();
}

}  // namespace

Tensor add(const TensorOrNumber& a, const TensorOrNumber& b, std::optional<Number> alpha) {
  if (!is_one(alpha)) {
    if (alpha->type() != DType::f64 && common_type("add", a, b) == DType::boolean)
      return add(a, logical_and(b, Number(alpha->as_integer() != 0)), {});
    return scaled_sum<definition::AddScaled>(ElementwiseOp::add_scaled, "add", a, b, *alpha);
  }
  return promoted<definition::Add>(ElementwiseOp::add, "add", a, b);
}

Tensor sub(const TensorOrNumber& a, const TensorOrNumber& b, std::optional<Number> alpha) {
  if (type_of(a) == DType::boolean || type_of(b) == DType::boolean)
    refuse_types("sub", "bool cannot be subtracted, see logical_xor", a, b);
  if (!is_one(alpha))
    return scaled_sum<definition::SubScaled>(ElementwiseOp::sub_scaled, "sub", a, b, *alpha);
  return promoted<definition::Sub>(ElementwiseOp::sub, "sub", a, b);
}

Tensor mul(const TensorOrNumber& a, const TensorOrNumber& b) {
  return promoted<definition::Mul>(ElementwiseOp::mul, "mul", a, b);
}

Tensor div(const TensorOrNumber& a, const TensorOrNumber& b,
           const std::optional<std::string>& rounding_mode) {
  if (!rounding_mode) return floating<definition::Div>(ElementwiseOp::div, "div", a, b);
  if (*rounding_mode == "floor")
    return division<definition::FloorDivide>(ElementwiseOp::floor_divide, "div", a, b);
  if (*rounding_mode == "trunc")
    return division<definition::TruncDivide>(ElementwiseOp::trunc_divide, "div", a, b);
  throw Error("div: rounding_mode is \"floor\" or \"trunc\": \"" + *rounding_mode + "\"");
}

Tensor pow(const TensorOrNumber& a, const TensorOrNumber& b) {
  const DType type = common_type("pow", a, b);
  if (type == DType::boolean) refuse_types("pow", "needs numbers", a, b);
  if (!b.tensor.defined()) {
    if (!is_floating(type) && b.number.as_integer() < 0)
      throw DTypeError("pow: integers have no negative powers: " + std::string(name_of(type)) +
                       " and " + std::to_string(b.number.as_integer()));
    check_element("pow", b, type);
    if (type == a.tensor.dtype())
      if (Tensor easy = easy_power(a.tensor, b.number.as_double()); easy.defined()) return easy;
  }
  return binary<definition::Pow>(ElementwiseOp::pow, "pow", type, a, b);
}

// The rest follows one pattern: function, way of typing, definition, ElementwiseOp.
#define TIDE_BINARY(function, way, Definition)                                    \
  Tensor function(const TensorOrNumber& a, const TensorOrNumber& b) {             \
    return way<definition::Definition>(ElementwiseOp::function, #function, a, b); \
  }
TIDE_BINARY(floor_divide, division, FloorDivide)
TIDE_BINARY(fmod, division, Fmod)
TIDE_BINARY(remainder, division, Remainder)
TIDE_BINARY(maximum, promoted, Maximum)
TIDE_BINARY(minimum, promoted, Minimum)
TIDE_BINARY(fmax, promoted, Fmax)
TIDE_BINARY(fmin, promoted, Fmin)
TIDE_BINARY(atan2, floating, Atan2)
TIDE_BINARY(hypot, needs_floating, Hypot)
TIDE_BINARY(copysign, floating, Copysign)
TIDE_BINARY(xlogy, floating, Xlogy)
TIDE_BINARY(zeta, floating, Zeta)
#undef TIDE_BINARY

#define TIDE_BINARY(function, way, op)                                \
  Tensor function(const TensorOrNumber& a, const TensorOrNumber& b) { \
    return way(ElementwiseOp::op, #function, a, b);                   \
  }
TIDE_BINARY(eq, test, eq)
TIDE_BINARY(ne, test, ne)
TIDE_BINARY(lt, test, lt)
TIDE_BINARY(le, test, le)
TIDE_BINARY(gt, test, gt)
TIDE_BINARY(ge, test, ge)
TIDE_BINARY(logical_and, test, logical_and)
TIDE_BINARY(logical_or, test, logical_or)
TIDE_BINARY(logical_xor, test, logical_xor)
TIDE_BINARY(bitwise_and, bitwise, bitwise_and)
TIDE_BINARY(bitwise_or, bitwise, bitwise_or)
TIDE_BINARY(bitwise_xor, bitwise, bitwise_xor)
TIDE_BINARY(bitwise_left_shift, shift, shift_left)
TIDE_BINARY(bitwise_right_shift, shift, shift_right)
#undef TIDE_BINARY

}  // namespace tide
