// Ops on two operands: arithmetic, comparison, logic, bits.
#include "runtime/ir/definitions/arithmetic_math.h"
#include "runtime/ir/definitions/comparison_math.h"
#include "runtime/ops/elementwise/elementwise_record.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/require.h"
#include "runtime/ops/shape/creation.h"

namespace tide {
namespace {

/// Which types a function accepts and computes in: see elementwise_ops.def.
enum class BinaryTypes {
  kPromoted,
  kToFloating,
  kFloatingOnly,
  kDivision,
  kTest,
  kBits,
  kIntegers
};
using enum BinaryTypes;

/// Whether an operand is a number that an integer type cannot hold.
bool is_beyond(DType type, const TensorOrNumber& x) {
  return !x.tensor.defined() && (x.number.as_integer() < lowest(type).as_integer() ||
                                 x.number.as_integer() > highest(type).as_integer());
}

/// The type in which a function computes, which is also the result type except for predicates.
template <BinaryTypes kTypes>
DType binary_type(const char* name, const TensorOrNumber& a, const TensorOrNumber& b) {
  const DType type = common_type(name, a, b);
  if constexpr (kTypes == kToFloating) return floating_type(type);
  if (kTypes == kFloatingOnly && !is_floating(type))
    refuse_types(name, "expected a floating type", a, b);
  if (kTypes == kDivision && type == DType::boolean) refuse_types(name, "expected numbers", a, b);
  if (kTypes == kBits && is_floating(type)) refuse_types(name, "expected integers or bool", a, b);
  if (kTypes == kIntegers && !is_integer(type)) refuse_types(name, "expected integers", a, b);
  // Every uint8 is below 256, as in NumPy.
  if (kTypes == kTest && is_integer(type) && (is_beyond(type, a) || is_beyond(type, b)))
    return DType::i64;
  return type;
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

template <class Definition, BinaryTypes kTypes>
Tensor binary(ElementwiseOp op, const char* name, const TensorOrNumber& a,
              const TensorOrNumber& b) {
  const DType type = binary_type<kTypes>(name, a, b);
  if constexpr (kTypes == kTest || kTypes == kBits || kTypes == kIntegers) {
    const TensorOrNumber operands[] = {a, b};
    return record_map(op, name, kTypes == kTest ? DType::boolean : type, type, operands);
  } else if (kTypes == kDivision && is_integer(type) &&
             !(a.tensor.defined() && a.tensor.numel() == 0)) {  // empty: any divisor is fine
    const TensorOrNumber operands[] = {a, nonzero_divisor(name, b, type)};
    return record_differentiable<Definition>(op, name, type, type, operands);
  } else {
    const TensorOrNumber operands[] = {a, b};
    return record_differentiable<Definition>(op, name, type, type, operands);
  }
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

/// x to the power of an exponent with a faster and more accurate formula; else undefined.
Tensor easy_power(const Tensor& x, double power) {
  if (power == 2.0) return square(x);
  if (!is_floating(x.dtype())) return Tensor();
  if (power == 0.5) return sqrt(x);
  if (power == -1.0) return reciprocal(x);
  if (power == -0.5) return rsqrt(x);
  // A half type would round the square.
  if (power == 3.0 && !is_narrow(x.dtype())) return square(x) * x;
  return Tensor();
}

}  // namespace

Tensor add(const TensorOrNumber& a, const TensorOrNumber& b, std::optional<Number> alpha) {
  if (!is_one(alpha)) {
    if (alpha->type() != DType::f64 && common_type("add", a, b) == DType::boolean)
      return add(a, logical_and(b, Number(alpha->as_integer() != 0)), {});
    return scaled_sum<definition::AddScaled>(ElementwiseOp::add_scaled, "add", a, b, *alpha);
  }
  return binary<definition::Add, kPromoted>(ElementwiseOp::add, "add", a, b);
}

Tensor sub(const TensorOrNumber& a, const TensorOrNumber& b, std::optional<Number> alpha) {
  if (type_of(a) == DType::boolean || type_of(b) == DType::boolean)
    refuse_types("sub", "bool cannot be subtracted, see logical_xor", a, b);
  if (!is_one(alpha))
    return scaled_sum<definition::SubScaled>(ElementwiseOp::sub_scaled, "sub", a, b, *alpha);
  return binary<definition::Sub, kPromoted>(ElementwiseOp::sub, "sub", a, b);
}

Tensor div(const TensorOrNumber& a, const TensorOrNumber& b,
           const std::optional<std::string>& rounding_mode) {
  if (!rounding_mode) return binary<definition::Div, kToFloating>(ElementwiseOp::div, "div", a, b);
  // Not by `choose`: a smaller function is inlined into its callers here, and every op records
  // slower.
  if (*rounding_mode == "floor")
    return binary<definition::FloorDivide, kDivision>(ElementwiseOp::floor_divide, "div", a, b);
  if (*rounding_mode == "trunc")
    return binary<definition::TruncDivide, kDivision>(ElementwiseOp::trunc_divide, "div", a, b);
  throw Error("div: rounding_mode must be \"floor\" or \"trunc\", got \"" + *rounding_mode + "\"");
}

Tensor pow(const TensorOrNumber& a, const TensorOrNumber& b) {
  const DType type = common_type("pow", a, b);
  if (type == DType::boolean) refuse_types("pow", "expected numbers", a, b);
  if (!b.tensor.defined()) {
    if (!is_floating(type) && b.number.as_integer() < 0)
      throw DTypeError("pow: integers have no negative powers: " + std::string(name_of(type)) +
                       " and " + std::to_string(b.number.as_integer()));
    check_element("pow", b, type);
    if (type == a.tensor.dtype())
      if (Tensor easy = easy_power(a.tensor, b.number.as_double()); easy.defined()) return easy;
  }
  const TensorOrNumber operands[] = {a, b};
  return record_differentiable<definition::Pow>(ElementwiseOp::pow, "pow", type, type, operands);
}

#define TIDE_BINARY(function, Definition, types, cost)                                      \
  Tensor function(const TensorOrNumber& a, const TensorOrNumber& b) {                       \
    return binary<definition::Definition, types>(ElementwiseOp::function, #function, a, b); \
  }
#include "runtime/ir/elementwise_ops.def"

}  // namespace tide
