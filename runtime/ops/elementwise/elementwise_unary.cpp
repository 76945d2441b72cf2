// Functions of one tensor.
#include <cmath>
#include <string>

#include "runtime/ir/definitions/activation_math.h"
#include "runtime/ir/definitions/comparison_math.h"
#include "runtime/ir/definitions/generation_math.h"
#include "runtime/ir/definitions/special_math.h"
#include "runtime/ir/definitions/unary_math.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise_record.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/elementwise/polygamma.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/types/dtype.h"

namespace tide {
namespace {

/// Which types a function accepts and returns.
enum class UnaryTypes { kToFloating, kFloatingOnly, kNumbers, kTruthCounts, kAny, kTest };
using enum UnaryTypes;

/// The type in which a function computes, which is also the result type except for predicates.
template <UnaryTypes kTypes>
DType unary_type(const char* name, DType type) {
  if constexpr (kTypes == kToFloating) return floating_type(type);
  if (kTypes == kFloatingOnly) check_floating(name, type);
  if (kTypes == kTruthCounts && type == DType::boolean) return DType::i64;
  if (kTypes == kNumbers && type == DType::boolean) throw_type(name, "numbers", type);
  return type;
}

template <class Definition, UnaryTypes kTypes>
Tensor unary(ElementwiseOp op, const char* name, const Tensor& x) {
  const DType type = unary_type<kTypes>(name, x.dtype());
  const TensorOrNumber operands[] = {x};
  if constexpr (kTypes == kTest)
    return record_map(op, name, DType::boolean, type, operands);
  else
    return record_differentiable<Definition>(op, name, type, type, operands);
}

/// A floating-point function of one tensor and numbers.
template <class Definition, class... Numbers>
Tensor activation(ElementwiseOp op, const char* name, const Tensor& x, Numbers... numbers) {
  const DType type = unary_type<kFloatingOnly>(name, x.dtype());
  const TensorOrNumber operands[] = {x, Number(numbers)...};
  return record_differentiable<Definition>(op, name, type, type, operands);
}

}  // namespace

#define TIDE_UNARY(function, Definition, types, cost)                                   \
  Tensor function(const Tensor& x) {                                                    \
    return unary<definition::Definition, types>(ElementwiseOp::function, #function, x); \
  }
#include "runtime/ir/elementwise_ops.def"

Tensor convert(const Tensor& x, DType type) {
  if (x.dtype() == type) return x;
  const TensorOrNumber operands[] = {x};
  if (!is_floating(type))
    return record_map(ElementwiseOp::convert, "to", type, x.dtype(), operands);
  return record_differentiable<definition::Convert>(ElementwiseOp::convert, "to", type, x.dtype(),
                                                    operands);
}

Tensor bitwise_not(const Tensor& x) {
  if (is_floating(x.dtype())) throw_type("bitwise_not", "integers or bool", x.dtype());
  return record_map(ElementwiseOp::bitwise_not, "bitwise_not", x.dtype(), x.dtype(), {x});
}

Tensor round(const Tensor& x, std::optional<int64_t> decimals) {
  if (decimals.value_or(0) == 0)
    return unary<definition::Round, kNumbers>(ElementwiseOp::round, "round", x);
  if (!is_floating(x.dtype()))
    throw_type("round", "a floating type", x.dtype(), "numbers with decimals");
  const double power = std::pow(10.0, static_cast<double>(std::abs(*decimals)));
  const Tensor wide = is_narrow(x.dtype()) ? convert(x, DType::f32) : x;
  const Tensor y = *decimals > 0 ? round(wide * power) / power : round(wide / power) * power;
  return convert(y, x.dtype());
}

Tensor hardtanh(const Tensor& x, std::optional<Number> min_val, std::optional<Number> max_val) {
  const Number low = min_val.value_or(-1);
  const Number high = max_val.value_or(1);
  if (low.as_double() > high.as_double())
    throw Error("hardtanh: min_val is above max_val: " + std::to_string(low.as_double()) + " and " +
                std::to_string(high.as_double()));
  const DType type = unary_type<kNumbers>("hardtanh", x.dtype());
  if (type == DType::u8 && low.as_double() < 0)
    throw DTypeError("hardtanh: uint8 has no negative numbers: min_val is " +
                     std::to_string(low.as_double()));
  check_element("hardtanh", low, type);
  check_element("hardtanh", high, type);
  const TensorOrNumber operands[] = {x, low, high};
  return record_differentiable<definition::Hardtanh>(ElementwiseOp::hardtanh, "hardtanh", type,
                                                     type, operands);
}

Tensor leaky_relu(const Tensor& x, std::optional<double> negative_slope) {
  return activation<definition::LeakyRelu>(ElementwiseOp::leaky_relu, "leaky_relu", x,
                                           negative_slope.value_or(0.01));
}

Tensor elu(const Tensor& x, std::optional<double> alpha) {
  return activation<definition::Elu>(ElementwiseOp::elu, "elu", x, alpha.value_or(1.0));
}

Tensor celu(const Tensor& x, std::optional<double> alpha) {
  if (alpha == 0.0) throw Error("celu: alpha must not be 0: 0");
  return activation<definition::Celu>(ElementwiseOp::celu, "celu", x, alpha.value_or(1.0));
}

Tensor gelu(const Tensor& x, const std::optional<std::string>& approximate) {
  if (!approximate || choose("gelu", "approximate", *approximate, {"none", "tanh"}) == 0)
    return activation<definition::Gelu>(ElementwiseOp::gelu, "gelu", x);
  return activation<definition::GeluTanh>(ElementwiseOp::gelu_tanh, "gelu", x);
}

Tensor softplus(const Tensor& x, std::optional<double> beta, std::optional<double> threshold) {
  return activation<definition::Softplus>(ElementwiseOp::softplus, "softplus", x,
                                          beta.value_or(1.0), threshold.value_or(20.0));
}

}  // namespace tide
