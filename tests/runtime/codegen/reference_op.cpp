// Single ops on numbers of the host, through runtime/ir/math/reference_value.h.
#include "tests/runtime/codegen/reference_op.h"

#include <stdexcept>
#include <utility>

#include "runtime/ir/definitions/elementwise_math.h"
#include "runtime/ir/elementwise_ops.h"
#include "runtime/ir/math/reference_value.h"

namespace tide::test {
namespace {

template <class T>
Number number_of(reference::Value<T> value) {
  return value.number();
}
Number number_of(reference::Mask mask) { return mask.holds; }

template <class Definition, class T, size_t... I>
Number apply_as(std::span<const Number> operands, std::index_sequence<I...>) {
  return number_of(Definition::value(reference::Value<T>(std::get<T>(operands[I]))...));
}

/// In the type of the operands, if it is among `Types`.
template <class Definition, int arity, class... Types>
Number apply_in(std::span<const Number> operands) {
  Number result;
  const bool found = ([&] {
    if (!std::holds_alternative<Types>(operands[0])) return false;
    result = apply_as<Definition, Types>(operands, std::make_index_sequence<arity>());
    return true;
  }() || ...);
  if (!found) throw std::logic_error("the reference lacks this op for this type");
  return result;
}

template <class Definition, int arity>
Number for_floating(std::span<const Number> operands) {
  return apply_in<Definition, arity, float, double>(operands);
}

template <class Definition, int arity>
Number for_all(std::span<const Number> operands) {
  return apply_in<Definition, arity, float, double, int64_t, int32_t, int16_t, int8_t, uint8_t>(
      operands);
}

}  // namespace

Number apply_reference(OpCode op, std::span<const Number> operands, DType type) {
  using namespace definition;
  switch (static_cast<ElementwiseOp>(op)) {
    case ElementwiseOp::convert:
      return convert_number(operands[0], type);
    case ElementwiseOp::add:
      return for_all<Add, 2>(operands);
    case ElementwiseOp::sub:
      return for_all<Sub, 2>(operands);
    case ElementwiseOp::mul:
      return for_all<Mul, 2>(operands);
    case ElementwiseOp::neg:
      return for_all<Neg, 1>(operands);
    case ElementwiseOp::lt:
      return for_all<Lt, 2>(operands);
    case ElementwiseOp::maximum:
      return for_all<Maximum, 2>(operands);
    case ElementwiseOp::div:
      return for_floating<Div, 2>(operands);
    case ElementwiseOp::sqrt:
      return for_floating<Sqrt, 1>(operands);
    case ElementwiseOp::exp:
      return for_floating<Exp, 1>(operands);
    case ElementwiseOp::tanh:
      return for_floating<Tanh, 1>(operands);
    case ElementwiseOp::where:
      return std::get<bool>(operands[0]) ? operands[1] : operands[2];
    default:
      throw std::logic_error("the reference lacks this op");
  }
}

Number combine_reference(Reduction reduction, const Number& a, const Number& b) {
  return std::visit(
      [&](auto x) -> Number {
        using T = decltype(x);
        const reference::Value<T> left(x), right(std::get<T>(b));
        switch (reduction) {
          case Reduction::sum:
            return (left + right).number();
          case Reduction::prod:
            return (left * right).number();
          case Reduction::max:
            return maximum(left, right).number();
          default:
            return minimum(left, right).number();
        }
      },
      a);
}

Number convert_number(const Number& value, DType type) {
  return std::visit(
      [&](auto x) -> Number {
        const reference::Value from(x);
        switch (type) {
          case DType::boolean:
            return convert<DType::boolean>(from).number();
          case DType::u8:
            return convert<DType::u8>(from).number();
          case DType::i8:
            return convert<DType::i8>(from).number();
          case DType::i16:
            return convert<DType::i16>(from).number();
          case DType::i32:
            return convert<DType::i32>(from).number();
          case DType::i64:
            return convert<DType::i64>(from).number();
          case DType::f64:
            return convert<DType::f64>(from).number();
          default:
            return convert<DType::f32>(from).number();
        }
      },
      value);
}

}  // namespace tide::test
