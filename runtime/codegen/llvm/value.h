// The V of runtime/ir/definitions/op_definition.h over LLVM IR: one elementwise value of a kernel
// under construction.
//
// A value is a few registers (`Lanes::registers`) of vectors (`Lanes::width` elements, or a scalar
// if that is 1) that are computed side by side, so that long dependency chains overlap. Operations
// write IR at the builder's insertion point. bool is held as bytes of 0 and 1.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/codegen/llvm/target.h"
#include "runtime/types/dtype.h"

namespace tide::ir {

constexpr int kMaxRegisters = 8;

using Registers = std::array<llvm::Value*, kMaxRegisters>;

/// The angles reduced last, shared by sine and cosine of one angle (reduce_large_arguments).
struct ReducedAngles {
  const llvm::BasicBlock* block = nullptr;  ///< where the results are available
  const llvm::Value* x = nullptr;           ///< first register of the angles
  Registers number{}, r{};
};

/// The shape of all values in a piece of code.
struct Lanes {
  llvm::IRBuilder<>* builder;
  const Machine* machine;
  int width;      ///< elements of a register; 1: a scalar
  int registers;  ///< 1..kMaxRegisters
  mutable ReducedAngles reduced{};

  int elements() const { return width * registers; }
  /// `element`, or the vector of `width` of them.
  llvm::Type* form(llvm::Type* element) const;
  /// The type of a register of compute type `type`.
  llvm::Type* form(DType type) const;
  llvm::Value* splat(llvm::Value* scalar) const;
};

/// The scalar IR type of a compute type; bool is i8, half types are not compute types.
llvm::Type* element_type(llvm::LLVMContext& context, DType type);

/// Truth of a condition, element by element.
struct Mask {
  const Lanes* lanes;
  Registers registers;
};

class Value {
 public:
  using Mask = ir::Mask;

  Value(const Lanes& lanes, DType type, const Registers& registers)
      : lanes_(&lanes), type_(type), registers_(registers) {}
  /// Every element is `scalar`, which has the compute type `type`.
  static Value broadcast(const Lanes& lanes, DType type, llvm::Value* scalar);

  DType type() const { return type_; }
  const Lanes& lanes() const { return *lanes_; }
  llvm::Value* operator[](int i) const { return registers_[i]; }
  const Registers& registers() const { return registers_; }

  /// A constant of this value's type.
  template <class Number>
  requires std::is_arithmetic_v<Number> Value constant(Number number)
  const {
    if constexpr (std::is_floating_point_v<Number>)
      return floating_constant(number);
    else
      return integer_constant(static_cast<int64_t>(number));
  }

 private:
  Value floating_constant(double number) const;
  Value integer_constant(int64_t number) const;

  const Lanes* lanes_;
  DType type_;
  Registers registers_;
};

Value operator+(Value a, Value b);
Value operator-(Value a, Value b);
Value operator*(Value a, Value b);
Value operator/(Value a, Value b);
Value operator-(Value a);
Value operator&(Value a, Value b);
Value operator|(Value a, Value b);
Value operator^(Value a, Value b);
Value operator~(Value a);
Value quotient(Value a, Value b);
Value remainder(Value a, Value b);
Value fma(Value a, Value b, Value c);
Value abs(Value a);
Value sqrt(Value a);
Value floor(Value a);
Value ceil(Value a);
Value trunc(Value a);
Value round_even(Value a);
Value minimum(Value a, Value b);
Value maximum(Value a, Value b);
/// Found instead of math::scaled_by by argument-dependent lookup: the same bits in one instruction
/// where there is one, for x from 1/2 to 2.
Value scaled_by(Value x, Value counted);

Mask operator==(Value a, Value b);
Mask operator!=(Value a, Value b);
Mask operator<(Value a, Value b);
Mask operator<=(Value a, Value b);
Mask operator>(Value a, Value b);
Mask operator>=(Value a, Value b);
Mask operator&(Mask a, Mask b);
Mask operator|(Mask a, Mask b);
Mask operator!(Mask a);
Value select(Mask mask, Value a, Value b);
/// bool: 1 where the mask holds.
Value to_bool(Mask mask);

Value shift_left(Value a, Value count);
Value shift_right(Value a, Value count);
Value shift_left(Value a, int count);
Value shift_right(Value a, int count);
Value convert(Value a, DType type);
template <DType D>
Value convert(Value a) {
  return convert(a, D);
}
Value bits(Value a);
Value float_bits(Value a);
Value as_unsigned_multiply_high(Value a, Value b);

/// Whether the condition holds in any element.
llvm::Value* any(const Mask& mask);

/// Values that change together from step to step.
using LoopState = std::vector<Value>;

/// `state` after the number of steps that the slowest element needs.
LoopState repeat_while(LoopState state, const std::function<Mask(const LoopState&)>& unfinished,
                       const std::function<LoopState(const LoopState&)>& step);

template <class Unfinished, class Step>
Value while_any(Value state, const Unfinished& unfinished, const Step& step) {
  return repeat_while(
      {state}, [&](const LoopState& v) { return unfinished(v[0]); },
      [&](const LoopState& v) { return LoopState{step(v[0])}; })[0];
}

template <class Unfinished, class Step>
std::array<Value, 2> while_any(std::array<Value, 2> state, const Unfinished& unfinished,
                               const Step& step) {
  const auto pair = [](const LoopState& v) { return std::array<Value, 2>{v[0], v[1]}; };
  return pair(repeat_while(
      {state[0], state[1]}, [&](const LoopState& v) { return unfinished(pair(v)); },
      [&](const LoopState& v) {
        const std::array<Value, 2> next = step(pair(v));
        return LoopState{next[0], next[1]};
      }));
}

std::array<Value, 2> reduce_large_arguments(Mask far, Value x, std::array<Value, 2> near);

}  // namespace tide::ir
