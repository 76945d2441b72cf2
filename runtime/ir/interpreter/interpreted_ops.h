// Elementwise ops on arrays of the host, each from its definition.
#pragma once

#include <cstdint>

#include "runtime/ir/elementwise_ops.h"
#include "runtime/types/dtype.h"

/// Compiles a function and everything it calls for processors with fused multiply-add, for the same
/// bits as the kernels there.
#define TIDE_INTERPRETED __attribute__((target("avx2,fma,f16c"), flatten))

namespace tide {

/// Computes `count` elements of an array from `count` of each operand.
using InterpretedCall = void (*)(const void* const* operands, void* result, int64_t count);

/// An op on operands of one compute type.
struct InterpretedOp {
  InterpretedCall call = nullptr;  ///< null: not for this type
  DType result = DType::f32;
};

/// `type` is that of the operands, except those with an argument_type.
InterpretedOp interpreted_op(ElementwiseOp op, DType type);

constexpr bool is_random(ElementwiseOp op) {
  return op >= ElementwiseOp::random_uniform && op <= ElementwiseOp::random_integer;
}

/// Whether the definition of an op supports operands of a compute type; conversion is excluded.
constexpr bool is_defined_for(ElementwiseOp op, DType type) {
  const bool is_bitwise =
      op >= ElementwiseOp::bitwise_and && op <= ElementwiseOp::bitwise_right_shift;
  if (op == ElementwiseOp::convert) return false;
  if (is_random(op)) return type == DType::i64;
  if (is_floating(type)) return !is_bitwise;
  if (op >= ElementwiseOp::eq && op <= ElementwiseOp::logical_not) return true;
  switch (op) {
    case ElementwiseOp::iota:
    case ElementwiseOp::sub:
    case ElementwiseOp::neg:
    case ElementwiseOp::bitwise_left_shift:
    case ElementwiseOp::bitwise_right_shift:
      return type != DType::boolean;
    case ElementwiseOp::copy:
    case ElementwiseOp::fill:
    case ElementwiseOp::add:
    case ElementwiseOp::mul:
    case ElementwiseOp::trunc_divide:
    case ElementwiseOp::floor_divide:
    case ElementwiseOp::maximum:
    case ElementwiseOp::minimum:
    case ElementwiseOp::clamp:
    case ElementwiseOp::where:
    case ElementwiseOp::abs:
    case ElementwiseOp::sign:
    case ElementwiseOp::square:
    case ElementwiseOp::relu:
      return true;
    default:
      return is_bitwise;
  }
}

}  // namespace tide
