#include "runtime/codegen/llvm/value.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "runtime/ir/math/math_basic.h"

namespace tide::ir {
namespace {

using llvm::Intrinsic::ID;

bool is_signed(DType type) { return is_integer(type) && type != DType::u8; }

bool is_uniform(const Lanes& lanes, const Registers& registers) {
  for (int i = 1; i < lanes.registers; ++i)
    if (registers[i] != registers[0]) return false;
  return true;
}

/// One result register per register of the operands; computed only once if each operand has the
/// same value in all registers.
template <class Compute, class... Operands>
Registers each(const Lanes& lanes, const Compute& compute, const Operands&... operands) {
  Registers result{};
  const bool uniform = (is_uniform(lanes, operands) && ...);
  for (int i = 0; i < lanes.registers; ++i)
    result[i] = uniform && i > 0 ? result[0] : compute(operands[i]...);
  return result;
}

template <class Compute, class... Values>
Value value_of(DType type, const Compute& compute, const Value& a, const Values&... more) {
  return Value(a.lanes(), type, each(a.lanes(), compute, a.registers(), more.registers()...));
}

llvm::IRBuilder<>& builder_of(const Value& a) { return *a.lanes().builder; }

Value unary(ID id, const Value& a) {
  auto& builder = builder_of(a);
  return value_of(
      a.type(), [&](llvm::Value* x) { return builder.CreateUnaryIntrinsic(id, x); }, a);
}

/// Applies the instruction for integers or the one for floating-point values.
Value arithmetic(llvm::Instruction::BinaryOps integer, llvm::Instruction::BinaryOps floating,
                 const Value& a, const Value& b) {
  auto& builder = builder_of(a);
  const auto op = is_floating(a.type()) ? floating : integer;
  return value_of(
      a.type(), [&](llvm::Value* x, llvm::Value* y) { return builder.CreateBinOp(op, x, y); }, a,
      b);
}

Value bitwise(llvm::Instruction::BinaryOps op, const Value& a, const Value& b) {
  return arithmetic(op, op, a, b);
}

Mask compare(const Value& a, const Value& b, llvm::CmpInst::Predicate floating,
             llvm::CmpInst::Predicate with_sign, llvm::CmpInst::Predicate without_sign) {
  auto& builder = builder_of(a);
  const auto integer = is_signed(a.type()) ? with_sign : without_sign;
  const auto predicate = is_floating(a.type()) ? floating : integer;
  return {&a.lanes(),
          each(
              a.lanes(),
              [&](llvm::Value* x, llvm::Value* y) { return builder.CreateCmp(predicate, x, y); },
              a.registers(), b.registers())};
}

/// True where either operand is nan.
Mask is_nan(const Value& a, const Value& b) {
  using P = llvm::CmpInst;
  return compare(a, b, P::FCMP_UNO, P::ICMP_NE, P::ICMP_NE);
}

Value all_ones(const Value& a) { return a.constant(int64_t{-1}); }

/// Integer division, with divisors that would trap replaced by 1: the elements past the end of a
/// tail are divided, too.
Value divide(llvm::Instruction::BinaryOps with_sign, llvm::Instruction::BinaryOps without_sign,
             const Value& a, const Value& b) {
  Mask trapping = b == b.constant(0);
  if (is_signed(a.type())) trapping = trapping | (b == all_ones(b));
  const Value divisor = select(trapping, b.constant(1), b);
  const auto op = is_signed(a.type()) ? with_sign : without_sign;
  return arithmetic(op, op, a, divisor);
}

/// For processors without rounding instructions: values of at least 2^23 (2^52) are already
/// integers; adding and subtracting that number rounds all others to even. The sign of zero is
/// kept.
Value round_by_addition(const Value& a) {
  const Value magnitude = abs(a);
  const Value limit = a.constant(a.type() == DType::f64 ? 4503599627370496.0 : 8388608.0);
  const Value rounded = (magnitude + limit) - limit;
  const Value sign = bits(a) & bits(a.constant(-0.0));
  const Value with_sign = float_bits(bits(rounded) | sign);
  return select(magnitude < limit, with_sign, a);
}

/// The integer next to `a` in one direction, computed from the nearest one.
Value step_from_nearest(const Value& a, bool up) {
  const Value nearest = round_by_addition(a);
  const Value one = a.constant(1.0);
  const Mask passed = up ? nearest < a : nearest > a;
  const Value stepped = select(passed, up ? nearest + one : nearest - one, nearest);
  const Value sign = bits(a) & bits(a.constant(-0.0));
  return select(stepped == a.constant(0.0), float_bits(sign), stepped);
}

/// Minimum or maximum of two floating-point values, in five instructions. `one` and `other` agree
/// except for zeros of both signs, whose bits are combined so that -0 is below 0, and for nan,
/// where all bits are set.
Value minmax(const Value& a, const Value& b, const Value& one, const Value& other, bool highest) {
  const Value joined = highest ? bits(one) & bits(other) : bits(one) | bits(other);
  llvm::Type* form = a.lanes().form(joined.type());
  const Mask unordered = is_nan(a, b);
  const auto fill = [&](llvm::Value* m) { return builder_of(a).CreateSExt(m, form); };
  const Value nan(a.lanes(), joined.type(), each(a.lanes(), fill, unordered.registers));
  return float_bits(joined | nan);
}

/// vscalefps and vscalefpd, x * 2^n for integer n; 0 if there is none for these lanes.
ID scaling_instruction(const Value& x) {
  using namespace llvm::Intrinsic;
  if (!x.lanes().machine->avx512) return not_intrinsic;
  const auto bits = 8 * static_cast<int>(size_of(x.type())) * x.lanes().width;
  const bool wide = x.type() == DType::f64;
  if (bits == 512) return wide ? x86_avx512_mask_scalef_pd_512 : x86_avx512_mask_scalef_ps_512;
  if (bits == 256) return wide ? x86_avx512_mask_scalef_pd_256 : x86_avx512_mask_scalef_ps_256;
  return not_intrinsic;
}

llvm::Value* load_constant(llvm::IRBuilder<>& builder, llvm::GlobalVariable& global) {
  llvm::LoadInst* load =
      builder.CreateAlignedLoad(global.getValueType(), &global, global.getAlign());
  load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                    llvm::MDNode::get(builder.getContext(), {}));
  return load;
}

/// The vector constant in the form that instructions read best. AVX2 arithmetic takes operands from
/// memory, but LLVM broadcasts constants into registers first, of which there are only 16. Read
/// from a global array, they need neither the instruction nor the register.
llvm::Value* constant_register(const Lanes& lanes, llvm::Constant* constant) {
  const Machine& machine = *lanes.machine;
  const bool is_avx2 = machine.avx2 && !machine.avx512 && !machine.gpu;
  if (!is_avx2 || lanes.width == 1 || constant->isZeroValue()) return constant;
  auto& builder = *lanes.builder;
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  for (llvm::GlobalVariable& global : module.globals())
    if (global.getInitializer() == constant) return load_constant(builder, global);
  auto* global = new llvm::GlobalVariable(module, constant->getType(), true,
                                          llvm::GlobalValue::PrivateLinkage, constant);
  global->setAlignment(llvm::Align(static_cast<uint64_t>(machine.vector_bytes)));
  return load_constant(builder, *global);
}

}  // namespace

llvm::Type* element_type(llvm::LLVMContext& context, DType type) {
  switch (type) {
    case DType::f64:
      return llvm::Type::getDoubleTy(context);
    case DType::f8e4m3:
    case DType::f8e5m2:
    case DType::f16:
    case DType::bf16:
    case DType::f32:
      return llvm::Type::getFloatTy(context);
    default:
      return llvm::Type::getIntNTy(context, 8 * static_cast<unsigned>(size_of(type)));
  }
}

llvm::Type* Lanes::form(llvm::Type* element) const {
  return width == 1 ? element : llvm::FixedVectorType::get(element, static_cast<unsigned>(width));
}

llvm::Type* Lanes::form(DType type) const {
  return form(element_type(builder->getContext(), type));
}

llvm::Value* Lanes::splat(llvm::Value* scalar) const {
  return width == 1 ? scalar : builder->CreateVectorSplat(static_cast<unsigned>(width), scalar);
}

Value Value::broadcast(const Lanes& lanes, DType type, llvm::Value* scalar) {
  Registers registers{};
  registers.fill(lanes.splat(scalar));
  return Value(lanes, type, registers);
}

Value Value::floating_constant(double number) const {
  if (!is_floating(type_)) return integer_constant(static_cast<int64_t>(number));
  Registers registers{};
  registers.fill(constant_register(*lanes_, llvm::ConstantFP::get(lanes_->form(type_), number)));
  return Value(*lanes_, type_, registers);
}

Value Value::integer_constant(int64_t number) const {
  if (is_floating(type_)) return floating_constant(static_cast<double>(number));
  Registers registers{};
  registers.fill(llvm::ConstantInt::get(lanes_->form(type_), static_cast<uint64_t>(number), true));
  return Value(*lanes_, type_, registers);
}

Value operator+(Value a, Value b) {
  return arithmetic(llvm::Instruction::Add, llvm::Instruction::FAdd, a, b);
}
Value operator-(Value a, Value b) {
  return arithmetic(llvm::Instruction::Sub, llvm::Instruction::FSub, a, b);
}
Value operator*(Value a, Value b) {
  return arithmetic(llvm::Instruction::Mul, llvm::Instruction::FMul, a, b);
}
Value operator/(Value a, Value b) {
  return arithmetic(llvm::Instruction::SDiv, llvm::Instruction::FDiv, a, b);
}
Value operator-(Value a) {
  auto& builder = builder_of(a);
  const bool floating = is_floating(a.type());
  return value_of(
      a.type(),
      [&](llvm::Value* x) { return floating ? builder.CreateFNeg(x) : builder.CreateNeg(x); }, a);
}
Value operator&(Value a, Value b) { return bitwise(llvm::Instruction::And, a, b); }
Value operator|(Value a, Value b) { return bitwise(llvm::Instruction::Or, a, b); }
Value operator^(Value a, Value b) { return bitwise(llvm::Instruction::Xor, a, b); }
Value operator~(Value a) { return a ^ (a.type() == DType::boolean ? a.constant(1) : all_ones(a)); }

Value quotient(Value a, Value b) {
  const Value result = divide(llvm::Instruction::SDiv, llvm::Instruction::UDiv, a, b);
  return is_signed(a.type()) ? select(b == all_ones(b), -a, result) : result;
}

Value remainder(Value a, Value b) {
  return divide(llvm::Instruction::SRem, llvm::Instruction::URem, a, b);
}

Value fma(Value a, Value b, Value c) {
  if (!a.lanes().machine->avx2) return a * b + c;
  auto& builder = builder_of(a);
  return value_of(
      a.type(),
      [&](llvm::Value* x, llvm::Value* y, llvm::Value* z) {
        return builder.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
      },
      a, b, c);
}

Value abs(Value a) {
  if (is_floating(a.type())) return unary(llvm::Intrinsic::fabs, a);
  if (!is_signed(a.type())) return a;
  auto& builder = builder_of(a);
  return value_of(
      a.type(),
      [&](llvm::Value* x) {
        return builder.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, builder.getFalse());
      },
      a);
}

Value sqrt(Value a) { return unary(llvm::Intrinsic::sqrt, a); }

Value floor(Value a) {
  return a.lanes().machine->avx2 ? unary(llvm::Intrinsic::floor, a) : step_from_nearest(a, false);
}
Value ceil(Value a) {
  return a.lanes().machine->avx2 ? unary(llvm::Intrinsic::ceil, a) : step_from_nearest(a, true);
}
Value trunc(Value a) {
  if (a.lanes().machine->avx2) return unary(llvm::Intrinsic::trunc, a);
  return select(a < a.constant(0.0), ceil(a), floor(a));
}
Value round_even(Value a) {
  return a.lanes().machine->avx2 ? unary(llvm::Intrinsic::roundeven, a) : round_by_addition(a);
}

Value minimum(Value a, Value b) {
  const Value least = select(a < b, a, b);
  return is_floating(a.type()) ? minmax(a, b, least, select(b < a, b, a), false) : least;
}
Value maximum(Value a, Value b) {
  const Value most = select(a > b, a, b);
  return is_floating(a.type()) ? minmax(a, b, most, select(b > a, b, a), true) : most;
}

Value scaled_by(Value x, Value counted) {
  const ID instruction = scaling_instruction(x);
  if (!instruction) return math::scaled_by<Value>(x, counted);
  const double offset = math::rounding_number(x) + 2 * math::exponent_bias(x);
  auto& builder = builder_of(x);
  const auto width = static_cast<unsigned>(x.lanes().width);
  const auto scale = [&](llvm::Value* from, llvm::Value* n) -> llvm::Value* {
    // Results below the smallest subnormal are 0; computing them would be slow.
    const double least_exponent = -math::exponent_bias(x) - math::exponent_place(x);
    llvm::Value* least = llvm::ConstantFP::get(n->getType(), least_exponent - 0.5);
    llvm::Value* lanes =
        builder.CreateBitCast(builder.CreateFCmpUGT(n, least), builder.getIntNTy(width));
    if (width < 8) lanes = builder.CreateZExt(lanes, builder.getInt8Ty());
    constexpr int kCurrentRounding = 4;
    llvm::SmallVector<llvm::Value*, 5> operands{
        from, n, llvm::Constant::getNullValue(from->getType()), lanes};
    if (x.lanes().width * size_of(x.type()) == 64)
      operands.push_back(builder.getInt32(kCurrentRounding));
    return builder.CreateIntrinsic(instruction, {}, operands);
  };
  return value_of(x.type(), scale, x, counted - counted.constant(offset));
}

Mask operator==(Value a, Value b) {
  using P = llvm::CmpInst;
  return compare(a, b, P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ);
}
Mask operator!=(Value a, Value b) {
  using P = llvm::CmpInst;
  return compare(a, b, P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE);
}
Mask operator<(Value a, Value b) {
  using P = llvm::CmpInst;
  return compare(a, b, P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT);
}
Mask operator<=(Value a, Value b) {
  using P = llvm::CmpInst;
  return compare(a, b, P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE);
}
Mask operator>(Value a, Value b) {
  using P = llvm::CmpInst;
  return compare(a, b, P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT);
}
Mask operator>=(Value a, Value b) {
  using P = llvm::CmpInst;
  return compare(a, b, P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE);
}

Mask operator&(Mask a, Mask b) {
  auto& builder = *a.lanes->builder;
  const auto both = [&](llvm::Value* x, llvm::Value* y) { return builder.CreateAnd(x, y); };
  return {a.lanes, each(*a.lanes, both, a.registers, b.registers)};
}
Mask operator|(Mask a, Mask b) {
  auto& builder = *a.lanes->builder;
  const auto either = [&](llvm::Value* x, llvm::Value* y) { return builder.CreateOr(x, y); };
  return {a.lanes, each(*a.lanes, either, a.registers, b.registers)};
}
Mask operator!(Mask a) {
  auto& builder = *a.lanes->builder;
  const auto opposite = [&](llvm::Value* x) { return builder.CreateNot(x); };
  return {a.lanes, each(*a.lanes, opposite, a.registers)};
}

Value select(Mask mask, Value a, Value b) {
  auto& builder = builder_of(a);
  const auto choose = [&](llvm::Value* m, llvm::Value* x, llvm::Value* y) {
    return builder.CreateSelect(m, x, y);
  };
  return Value(a.lanes(), a.type(),
               each(a.lanes(), choose, mask.registers, a.registers(), b.registers()));
}

Value to_bool(Mask mask) {
  auto& builder = *mask.lanes->builder;
  llvm::Type* form = mask.lanes->form(DType::boolean);
  const auto widen = [&](llvm::Value* m) { return builder.CreateZExt(m, form); };
  return Value(*mask.lanes, DType::boolean, each(*mask.lanes, widen, mask.registers));
}

Value shift_left(Value a, Value count) { return bitwise(llvm::Instruction::Shl, a, count); }
Value shift_right(Value a, Value count) {
  return bitwise(is_signed(a.type()) ? llvm::Instruction::AShr : llvm::Instruction::LShr, a, count);
}
Value shift_left(Value a, int count) { return shift_left(a, a.constant(count)); }
Value shift_right(Value a, int count) { return shift_right(a, a.constant(count)); }

Value bits(Value a) {
  auto& builder = builder_of(a);
  const DType type = a.type() == DType::f64 ? DType::i64 : DType::i32;
  llvm::Type* form = a.lanes().form(type);
  return value_of(
      type, [&](llvm::Value* x) { return builder.CreateBitCast(x, form); }, a);
}

Value float_bits(Value a) {
  auto& builder = builder_of(a);
  const DType type = a.type() == DType::i64 ? DType::f64 : DType::f32;
  llvm::Type* form = a.lanes().form(type);
  return value_of(
      type, [&](llvm::Value* x) { return builder.CreateBitCast(x, form); }, a);
}

Value as_unsigned_multiply_high(Value a, Value b) {
  // The masks tell the compiler that one 32-bit multiplication is enough.
  const Value low = a.constant(int64_t{0xffffffff});
  const Value product = (a & low) * (b & low);
  auto& builder = builder_of(a);
  return value_of(
      a.type(), [&](llvm::Value* x) { return builder.CreateLShr(x, 32); }, product);
}

namespace {

/// A float as i64 that saturates; nan becomes 0. LLVM's own form converts the lanes of vectors one
/// by one.
llvm::Value* saturated(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Type* wide, bool gpu) {
  if (gpu) return builder.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {wide, x->getType()}, {x});
  constexpr double kEnd = 0x1p63;
  const bool is_double = x->getType()->getScalarType()->isDoubleTy();
  const auto number = [&](double value) { return llvm::ConstantFP::get(x->getType(), value); };
  llvm::Value* const least = number(-kEnd);
  llvm::Value* const most = number(is_double ? kEnd - 1024 : kEnd - 0x1p39);
  llvm::Value* within = builder.CreateSelect(builder.CreateFCmpOLT(x, least), least, x);
  within = builder.CreateSelect(builder.CreateFCmpOGT(x, most), most, within);
  within = builder.CreateSelect(builder.CreateFCmpUNO(x, x), number(0), within);
  llvm::Value* const whole = builder.CreateFPToSI(within, wide);
  llvm::Value* const above = builder.CreateFCmpOGE(x, number(kEnd));
  return builder.CreateSelect(above, llvm::ConstantInt::get(wide, INT64_MAX), whole);
}

}  // namespace

Value convert(Value a, DType type) {
  if (a.type() == type) return a;
  if (type == DType::boolean) return to_bool(a != a.constant(0));
  auto& builder = builder_of(a);
  llvm::Type* form = a.lanes().form(type);
  const bool from_floating = is_floating(a.type());
  if (from_floating && is_floating(type))
    return value_of(
        type, [&](llvm::Value* x) { return builder.CreateFPCast(x, form); }, a);
  if (from_floating) {
    // Saturates in i64, as the op definition requires, then wraps to the narrower type.
    llvm::Type* wide = a.lanes().form(DType::i64);
    return value_of(
        type,
        [&](llvm::Value* x) {
          return builder.CreateTrunc(saturated(builder, x, wide, a.lanes().machine->gpu), form);
        },
        a);
  }
  const bool sign = is_signed(a.type());
  return value_of(
      type,
      [&](llvm::Value* x) {
        if (!is_floating(type)) return builder.CreateIntCast(x, form, sign);
        return sign ? builder.CreateSIToFP(x, form) : builder.CreateUIToFP(x, form);
      },
      a);
}

}  // namespace tide::ir
