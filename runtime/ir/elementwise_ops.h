// The list of elementwise ops and the facts about each that the graph and the code generator need.
//
// The definition of ElementwiseOp::silu is tide::definition::Silu::value (see op_definition.h),
// found by the rows of elementwise_ops.def. A definition takes its arguments as values of
// compute_type(operand type) and returns a value of compute_type(result type), or a Mask if the
// result is bool. The exceptions:
//   convert              the caller converts; Convert::value does nothing
//   argument_type below  arguments with a type of their own
//   random_...           operands are i64; the results are f32, or f64 for those named so, or i64
#pragma once

#include <optional>
#include <string_view>

#include "runtime/ir/loop.h"
#include "runtime/types/dtype.h"

namespace tide {

enum class ElementwiseOp : OpCode {
#define TIDE_ELEMENTWISE(name, definition, arity, cost) name,
#include "runtime/ir/elementwise_ops.def"
};

constexpr int kElementwiseOpCount = 0
#define TIDE_ELEMENTWISE(name, definition, arity, cost) +1
#include "runtime/ir/elementwise_ops.def"
    ;

/// Number of arguments.
constexpr int arity_of(ElementwiseOp op) {
  constexpr uint8_t arities[] = {
#define TIDE_ELEMENTWISE(name, definition, arity, cost) arity,
#include "runtime/ir/elementwise_ops.def"
  };
  return arities[static_cast<int>(op)];
}

/// Approximate number of instructions per element.
constexpr int cost_of(ElementwiseOp op) {
  constexpr uint8_t costs[] = {
#define TIDE_ELEMENTWISE(name, definition, arity, cost) cost,
#include "runtime/ir/elementwise_ops.def"
  };
  return costs[static_cast<int>(op)];
}

/// Computing a value of at most this cost is faster than loading it from memory.
constexpr int kCheapCost = 8;

/// The enumerator as text, "gelu_tanh".
constexpr std::string_view name_of(ElementwiseOp op) {
  constexpr std::string_view names[] = {
#define TIDE_ELEMENTWISE(name, definition, arity, cost) #name,
#include "runtime/ir/elementwise_ops.def"
  };
  return names[static_cast<int>(op)];
}

/// The type of an argument that differs from the operand type: the condition of `where`, the index
/// of `iota` and `fill`. None for all others.
constexpr std::optional<DType> argument_type(ElementwiseOp op, int argument) {
  if (op == ElementwiseOp::where && argument == 0) return DType::boolean;
  if ((op == ElementwiseOp::iota || op == ElementwiseOp::fill) && argument == 0) return DType::i64;
  return std::nullopt;
}

}  // namespace tide
