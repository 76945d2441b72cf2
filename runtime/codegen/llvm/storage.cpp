#include "runtime/codegen/llvm/storage.h"

#include "runtime/ir/math/float8.h"
#include "runtime/ir/math/math_basic.h"

namespace tide::ir {
namespace {

Value as(const Lanes& lanes, DType type, const Registers& registers) {
  return Value(lanes, type, registers);
}

/// Applies `change` to each register.
template <class Change>
Registers changed(const Lanes& lanes, const Registers& registers, const Change& change) {
  Registers result{};
  for (int i = 0; i < lanes.registers; ++i)
    result[i] = i > 0 && registers[i] == registers[0] ? result[0] : change(registers[i]);
  return result;
}

Value zero_extended(const Lanes& lanes, const Registers& raw) {
  llvm::Type* form = lanes.form(DType::i32);
  return as(lanes, DType::i32, changed(lanes, raw, [&](llvm::Value* x) {
              return lanes.builder->CreateZExt(x, form);
            }));
}

/// The low bits of i32 as elements of `type` in memory.
Registers low_bits(const Value& value, DType type) {
  auto& builder = *value.lanes().builder;
  llvm::Type* form = value.lanes().form(memory_type(builder.getContext(), type));
  return changed(value.lanes(), value.registers(),
                 [&](llvm::Value* x) { return builder.CreateTrunc(x, form); });
}

/// Multiplying by 2^112 turns the exponent bias of f16 into that of f32 and makes subnormals
/// normal, exactly.
Value f32_of_f16_bits(const Lanes& lanes, const Registers& raw) {
  const Value all = zero_extended(lanes, raw);
  const Value magnitude = all & all.constant(0x7fff);
  const Value shifted = shift_left(magnitude, 13);
  const Value scaled = float_bits(shifted);
  const Value number = bits(scaled * scaled.constant(0x1p112));
  const Value special = shifted | all.constant(0x7f800000);
  const Value sign = shift_left(all & all.constant(0x8000), 16);
  return float_bits(select(magnitude >= all.constant(0x7c00), special, number) | sign);
}

/// The bits of f16, for processors without the instruction. Subnormal results are rounded by adding
/// 0.5, whose last bit has the same weight as theirs; normal ones by a carry into the bits kept.
Value f16_bits_of_f32(const Value& value) {
  const Value all = bits(value);
  const Value magnitude = all & all.constant(0x7fffffff);
  const Value sign = shift_right(all, 16) & all.constant(0x8000);
  const Value half = value.constant(0.5);
  const Value subnormal = bits(float_bits(magnitude) + half) - bits(half);
  const Value odd = shift_right(magnitude, 13) & all.constant(1);
  const Value rebiased = magnitude + all.constant(0xfff - (112 << 23)) + odd;
  const Value normal = shift_right(rebiased, 13);
  const Value nan = all.constant(0x7e00);
  const Value infinity = all.constant(0x7c00);
  const Value large = select(magnitude > all.constant(0x7f800000), nan, infinity);
  const Value small = select(magnitude < all.constant(0x38800000), subnormal, normal);
  return select(magnitude >= all.constant(0x47800000), large, small) | sign;
}

/// Rounds with integers even on processors with an instruction, because that flushes subnormals.
Value bf16_bits_of_f32(const Value& value) {
  const Value all = bits(value);
  const Value odd = shift_right(all, 16) & all.constant(1);
  const Value rounded = all + all.constant(0x7fff) + odd;
  const Value quiet_nan = all | all.constant(0x400000);
  return shift_right(select(value != value, quiet_nan, rounded), 16);
}

Registers narrow_by_instruction(const Value& value, DType type) {
  auto& builder = *value.lanes().builder;
  llvm::Type* half = value.lanes().form(half_type(builder.getContext(), type));
  llvm::Type* raw = value.lanes().form(DType::i16);
  return changed(value.lanes(), value.registers(), [&](llvm::Value* x) {
    return builder.CreateBitCast(builder.CreateFPTrunc(x, half), raw);
  });
}

Value f32_by_instruction(const Lanes& lanes, const Registers& raw) {
  auto& builder = *lanes.builder;
  llvm::Type* half = lanes.form(llvm::Type::getHalfTy(builder.getContext()));
  llvm::Type* full = lanes.form(DType::f32);
  return as(lanes, DType::f32, changed(lanes, raw, [&](llvm::Value* x) {
              return builder.CreateFPExt(builder.CreateBitCast(x, half), full);
            }));
}

/// Whether one instruction rounds f32 to `type`.
bool has_rounding(const Machine& machine, DType type) {
  constexpr int kBf16Rounding = 80;  // the first compute capability that has it
  return type == DType::f16 ? machine.avx2 : machine.capability >= kBf16Rounding;
}

}  // namespace

llvm::Type* half_type(llvm::LLVMContext& context, DType type) {
  return type == DType::f16 ? llvm::Type::getHalfTy(context) : llvm::Type::getBFloatTy(context);
}

llvm::Type* memory_type(llvm::LLVMContext& context, DType type) {
  if (!is_narrow(type)) return element_type(context, type);
  return llvm::Type::getIntNTy(context, 8 * static_cast<unsigned>(size_of(type)));
}

Value widen(const Lanes& lanes, DType type, const Registers& raw) {
  if (is_float8(type)) return math::f32_of_float8(zero_extended(lanes, raw), type);
  if (type == DType::bf16) return float_bits(shift_left(zero_extended(lanes, raw), 16));
  if (type != DType::f16) return as(lanes, type, raw);
  return lanes.machine->avx2 ? f32_by_instruction(lanes, raw) : f32_of_f16_bits(lanes, raw);
}

Registers narrow(const Value& value, DType type) {
  if (!is_narrow(type)) return convert(value, type).registers();
  const bool is_wide = value.type() == DType::f64;
  const Value computed = is_wide ? math::rounded_to_odd(value) : convert(value, DType::f32);
  if (is_float8(type)) return low_bits(math::float8_of_f32(computed, type), type);
  if (has_rounding(*value.lanes().machine, type)) return narrow_by_instruction(computed, type);
  return low_bits(type == DType::f16 ? f16_bits_of_f32(computed) : bf16_bits_of_f32(computed),
                  type);
}

}  // namespace tide::ir
