// The table of all elementwise ops for operands of one type.
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include "runtime/ir/definitions/elementwise_math.h"
#include "runtime/ir/interpreter/interpreted_ops.h"
#include "runtime/ir/math/reference_value.h"

namespace tide::interpreted {

/// The host's type of an argument of an op on T.
template <ElementwiseOp op, int argument, class T>
using Argument =
    std::conditional_t<argument_type(op, argument) == DType::boolean, bool,
                       std::conditional_t<argument_type(op, argument) == DType::i64, int64_t, T>>;

template <class T>
T number_of(reference::Value<T> value) {
  return value.number();
}
inline bool number_of(reference::Mask mask) { return mask.holds; }

template <ElementwiseOp op, class Definition, class T, size_t... I>
auto value_at(const void* const* operands, int64_t i, std::index_sequence<I...>) {
  return number_of(Definition::value(reference::Value<Argument<op, static_cast<int>(I), T>>(
      static_cast<const Argument<op, static_cast<int>(I), T>*>(operands[I])[i])...));
}

template <ElementwiseOp op, class Definition, int arity, class T>
TIDE_INTERPRETED void compute(const void* const* operands, void* result, int64_t count) {
  const auto at = [&](int64_t i) {
    return value_at<op, Definition, T>(operands, i, std::make_index_sequence<arity>());
  };
  auto* const elements = static_cast<decltype(at(0))*>(result);
  for (int64_t i = 0; i < count; ++i) elements[i] = at(i);
}

template <ElementwiseOp op, class Definition, int arity, class T>
constexpr InterpretedOp entry() {
  if constexpr (is_defined_for(op, reference::dtype_of<T>())) {
    using Result =
        decltype(value_at<op, Definition, T>(nullptr, 0, std::make_index_sequence<arity>()));
    return {compute<op, Definition, arity, T>, reference::dtype_of<Result>()};
  } else {
    return {};
  }
}

/// Indexed by the number of the op.
template <class T>
std::span<const InterpretedOp> table() {
  static constexpr InterpretedOp entries[] = {
#define TIDE_ELEMENTWISE(name, Definition, arity, cost) \
  entry<ElementwiseOp::name, definition::Definition, arity, T>(),
#include "runtime/ir/elementwise_ops.def"
  };
  return entries;
}

/// Each in a separate source: they take seconds to compile.
std::span<const InterpretedOp> table_of_f32();
std::span<const InterpretedOp> table_of_f64();
std::span<const InterpretedOp> table_of_integers(DType type);

}  // namespace tide::interpreted
