// Ops on three operands: where, clamp, lerp, addcmul, addcdiv.

#include "runtime/ir/definitions/arithmetic_math.h"
#include "runtime/ir/definitions/comparison_math.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise_record.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/types/dtype.h"

namespace tide {
namespace {

/// The type of a tensor made from a number.
DType number_type(Number number) {
  return number.type() == DType::f64 ? default_dtype() : number.type();
}

}  // namespace

Tensor where(const Tensor& condition, const TensorOrNumber& a, const TensorOrNumber& b) {
  check_bool("where", condition.dtype(), "a condition");
  // Two numbers have the type that a tensor of them would have.
  const DType type = a.tensor.defined() || b.tensor.defined()
                         ? common_type("where", a, b)
                         : promote(number_type(a.number), number_type(b.number));
  check_element("where", a, type);
  check_element("where", b, type);
  const TensorOrNumber operands[] = {condition, a, b};
  return record_differentiable<definition::Where>(ElementwiseOp::where, "where", type, type,
                                                  operands);
}

Tensor where_of(const Tensor& x, const Tensor& condition, const TensorOrNumber& other) {
  return where(condition, x, other);
}

Tensor clamp(const Tensor& x, const std::optional<TensorOrNumber>& min,
             const std::optional<TensorOrNumber>& max) {
  if (!min && !max) throw Error("clamp: expected min or max, got neither");
  DType type = x.dtype();
  if (min) type = common_type("clamp", x, *min);
  if (max) type = min ? common_type("clamp", x, *min, *max) : common_type("clamp", x, *max);
  if (min) check_element("clamp", *min, type);
  if (max) check_element("clamp", *max, type);
  const TensorOrNumber operands[] = {x, min ? *min : lowest(type), max ? *max : highest(type)};
  return record_differentiable<definition::Clamp>(ElementwiseOp::clamp, "clamp", type, type,
                                                  operands);
}

Tensor clamp_min(const Tensor& x, const TensorOrNumber& min) { return clamp(x, min, {}); }

Tensor clamp_max(const Tensor& x, const TensorOrNumber& max) { return clamp(x, {}, max); }

Tensor lerp(const Tensor& a, const Tensor& b, const TensorOrNumber& weight) {
  const DType type = common_type("lerp", a, b, weight);
  if (!is_floating(common_type("lerp", a, b)))
    refuse_types("lerp", "expected a floating type", a, b);
  const TensorOrNumber operands[] = {a, b, weight};
  return record_differentiable<definition::Lerp>(ElementwiseOp::lerp, "lerp", type, type, operands);
}

Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> value) {
  const DType type = common_type("addcmul", x, a, b);
  if (type == DType::boolean) refuse_types("addcmul", "bool has no products", a, b);
  const Number factor = value.value_or(1);
  check_element("addcmul", factor, type);
  const Number scale = is_floating(type) ? factor : factor.as_integer();
  const TensorOrNumber operands[] = {x, a, b, scale};
  return record_differentiable<definition::Addcmul>(ElementwiseOp::addcmul, "addcmul", type, type,
                                                    operands);
}

Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> value) {
  const Number scale = value.value_or(1);
  const DType type = common_type("addcdiv", x, a, b);
  if (!is_floating(type) || !is_floating(common_type("addcdiv", a, b)))
    refuse_types("addcdiv", "expected floating types", a, b);
  const TensorOrNumber operands[] = {x, a, b, scale};
  return record_differentiable<definition::Addcdiv>(ElementwiseOp::addcdiv, "addcdiv", type, type,
                                                    operands);
}

}  // namespace tide
