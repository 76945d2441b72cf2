// Reduction of angles that are too large for arithmetic in f64; such elements are processed one by
// one.
#include <llvm/IR/Module.h>

#include "runtime/codegen/llvm/value.h"
#include "runtime/ir/math/large_argument.h"

namespace tide::ir {
namespace {

using Scalar = llvm::Value*;

/// The module's global variable of that name, initialized to `value`.
llvm::GlobalVariable* global_of(llvm::Module& module, const char* name, llvm::Constant* value,
                                bool constant) {
  auto* global = llvm::cast<llvm::GlobalVariable>(module.getOrInsertGlobal(name, value->getType()));
  global->setInitializer(value);
  global->setLinkage(llvm::GlobalValue::InternalLinkage);
  global->setConstant(constant);
  return global;
}

/// The steps of reduce_large_argument (runtime/ir/math/large_argument.h) for one element.
class LargeArgument {
 public:
  LargeArgument(llvm::IRBuilder<>& builder, const Machine& machine)
      : builder_(builder), lanes_{&builder, &machine, 1, 1} {}

  struct Reduced {
    Scalar number, r;
  };

  Reduced reduce(Scalar x) {
    auto& b = builder_;
    const Scalar pattern = b.CreateBitCast(x, b.getInt64Ty());
    const Scalar exponent = b.CreateAnd(b.CreateLShr(pattern, 52), 0x7ff);
    const Scalar m = b.CreateOr(b.CreateAnd(pattern, 0xfffffffffffff), uint64_t{1} << 52);
    const Scalar first = b.CreateSub(exponent, b.getInt64(1075 + 2 - 64));
    const Scalar third = digits(first, 2), second = digits(first, 1);
    const Scalar p2 = b.CreateMul(m, third), carried = upper_product(m, third);
    const Scalar p1 = b.CreateAdd(b.CreateMul(m, second), carried);
    const Scalar carry = b.CreateZExt(b.CreateICmpULT(p1, carried), b.getInt64Ty());
    const Scalar p0 =
        b.CreateAdd(b.CreateMul(m, digits(first, 0)), b.CreateAdd(upper_product(m, second), carry));
    const Scalar f0 = joined(p0, p1, b.getInt64(2)), f1 = joined(p1, p2, b.getInt64(2));
    const Scalar beyond = b.CreateLShr(f0, 63), turned = b.CreateAShr(f0, 63);
    const Scalar r = fraction_angle(b.CreateXor(f0, turned), b.CreateXor(f1, turned));
    const Scalar sign = b.CreateAShr(pattern, 63);
    const Scalar number = b.CreateAdd(b.CreateLShr(p0, 62), beyond);
    const Scalar signed_number = b.CreateSub(b.CreateXor(number, sign), sign);
    const Scalar negative = b.CreateAnd(b.CreateXor(turned, sign), uint64_t{1} << 63);
    const Scalar signed_r = b.CreateXor(b.CreateBitCast(r, b.getInt64Ty()), negative);
    const Scalar not_finite = b.CreateICmpEQ(exponent, b.getInt64(0x7ff));
    return {b.CreateSIToFP(b.CreateAnd(signed_number, 3), b.getDoubleTy()),
            b.CreateSelect(not_finite, llvm::ConstantFP::getNaN(b.getDoubleTy()),
                           b.CreateBitCast(signed_r, b.getDoubleTy()))};
  }

 private:
  /// The upper half of the product of a and b.
  Scalar upper_product(Scalar a, Scalar b) {
    llvm::Type* wide = builder_.getInt128Ty();
    const Scalar product =
        builder_.CreateMul(builder_.CreateZExt(a, wide), builder_.CreateZExt(b, wide));
    return builder_.CreateTrunc(builder_.CreateLShr(product, 64), builder_.getInt64Ty());
  }
  /// The upper half of `high` and `low`, shifted to the left.
  Scalar joined(Scalar high, Scalar low, Scalar count) {
    return builder_.CreateIntrinsic(llvm::Intrinsic::fshl, {builder_.getInt64Ty()},
                                    {high, low, count});
  }

  /// 64 binary digits of 2 / pi, starting `word` words after bit `first`.
  Scalar digits(Scalar first, uint64_t word) {
    const Scalar index = builder_.CreateAdd(builder_.CreateLShr(first, 6), builder_.getInt64(word));
    return joined(table_entry(index), table_entry(builder_.CreateAdd(index, builder_.getInt64(1))),
                  builder_.CreateAnd(first, 63));
  }

  Scalar table_entry(Scalar index) {
    llvm::GlobalVariable* table = digit_table();
    return builder_.CreateLoad(
        builder_.getInt64Ty(),
        builder_.CreateInBoundsGEP(table->getValueType(), table, {builder_.getInt64(0), index}));
  }

  llvm::GlobalVariable* digit_table() {
    llvm::Module& module = *builder_.GetInsertBlock()->getModule();
    auto* digits = llvm::ConstantDataArray::get(builder_.getContext(), kTwoOverPi);
    return global_of(module, "two_over_pi", digits, true);
  }

  /// The angle for the fraction f0, f1 of a quadrant.
  Scalar fraction_angle(Scalar f0, Scalar f1) {
    auto& b = builder_;
    const Scalar zeros =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, b.CreateOr(f0, 1), b.getTrue());
    const Scalar h0 = joined(f0, f1, zeros), h1 = b.CreateShl(f1, zeros);
    const Scalar top = b.CreateLShr(h0, 11);
    const Scalar next = b.CreateOr(b.CreateShl(b.CreateAnd(h0, 0x7ff), 42), b.CreateLShr(h1, 22));
    const auto number = [&](Scalar integer) {
      return Value::broadcast(lanes_, DType::f64, b.CreateSIToFP(integer, b.getDoubleTy()));
    };
    const Value high = number(top) * number(top).constant(0x1p-53);
    const Value low = number(next) * high.constant(0x1p-106);
    const Scalar scale = b.CreateShl(b.CreateSub(b.getInt64(1023), zeros), 52);
    const Value half_pi = high.constant(kHalfPiHigh), product = high * half_pi;
    const Value error =
        fma(high, half_pi, -product) + fma(high, high.constant(kHalfPiLow), low * half_pi);
    const Value factor =
        Value::broadcast(lanes_, DType::f64, b.CreateBitCast(scale, b.getDoubleTy()));
    return ((product + error) * factor)[0];
  }

  llvm::IRBuilder<>& builder_;
  Lanes lanes_;
};

/// The addresses of the elements of three values, each contiguous.
struct Arrays {
  Scalar x, number, r;
};

/// Reduces those of `count` elements that are large; leaves the others.
void reduce_elements(llvm::IRBuilder<>& b, const Machine& machine, const Arrays& arrays,
                     int count) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  const auto new_block = [&] { return llvm::BasicBlock::Create(b.getContext(), "", function); };
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = new_block(), *far = new_block();
  llvm::BasicBlock *next = new_block(), *after = new_block();
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode* index = b.CreatePHI(b.getInt64Ty(), 2);
  index->addIncoming(b.getInt64(0), before);
  const auto address_of = [&](Scalar array) { return b.CreateGEP(b.getDoubleTy(), array, index); };
  const Scalar x = b.CreateLoad(b.getDoubleTy(), address_of(arrays.x));
  const Scalar size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  b.CreateCondBr(b.CreateFCmpOGT(size, llvm::ConstantFP::get(b.getDoubleTy(), kLargeArgument)), far,
                 next);
  b.SetInsertPoint(far);
  const LargeArgument::Reduced reduced = LargeArgument(b, machine).reduce(x);
  b.CreateStore(reduced.number, address_of(arrays.number));
  b.CreateStore(reduced.r, address_of(arrays.r));
  b.CreateBr(next);
  b.SetInsertPoint(next);
  const Scalar following = b.CreateAdd(index, b.getInt64(1));
  index->addIncoming(following, next);
  b.CreateCondBr(b.CreateICmpULT(following, b.getInt64(count)), head, after);
  b.SetInsertPoint(after);
}

/// Does the same by calling libtide, because inline code would take most of a kernel's compile
/// time. The loader fills in the address.
void call_reduce_elements(llvm::IRBuilder<>& b, const Machine&, const Arrays& arrays, int count) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  llvm::Type* pointer = b.getPtrTy();
  auto* type =
      llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, pointer, b.getInt64Ty()}, false);
  auto* outside = llvm::cast<llvm::Constant>(
      module.getOrInsertFunction(kReduceLargeArguments, type).getCallee());
  llvm::GlobalVariable* address =
      global_of(module, "reduce_large_arguments_address", outside, false);
  const Scalar function = b.CreateLoad(pointer, address);
  b.CreateCall(type, function, {arrays.x, arrays.number, arrays.r, b.getInt64(count)})
      ->setDoesNotThrow();
}

}  // namespace

std::array<Value, 2> reduce_large_arguments(Mask far, Value x, std::array<Value, 2> near) {
  const Lanes& lanes = x.lanes();
  auto& b = *lanes.builder;
  llvm::BasicBlock* before = b.GetInsertBlock();
  const auto* widened = llvm::dyn_cast<llvm::FPExtInst>(x[0]);
  const llvm::Value* angle = widened ? widened->getOperand(0) : x[0];
  ReducedAngles& reduced = lanes.reduced;
  if (reduced.block == before && reduced.x == angle)
    return {Value(lanes, x.type(), reduced.number), Value(lanes, x.type(), reduced.r)};
  llvm::Function* function = before->getParent();
  const auto new_block = [&] { return llvm::BasicBlock::Create(b.getContext(), "", function); };
  llvm::BasicBlock *inside = new_block(), *after = new_block();
  b.CreateCondBr(any(far), inside, after);

  b.SetInsertPoint(inside);
  llvm::IRBuilder<> entry(&function->getEntryBlock(), function->getEntryBlock().begin());
  const auto array = [&](const Value& value) {
    llvm::Type* form =
        llvm::ArrayType::get(value[0]->getType(), static_cast<uint64_t>(lanes.registers));
    const Scalar address = entry.CreateAlloca(form);
    for (int i = 0; i < lanes.registers; ++i)
      b.CreateStore(value[i], b.CreateConstGEP2_32(form, address, 0, static_cast<unsigned>(i)));
    return address;
  };
  const Arrays arrays{array(x), array(near[0]), array(near[1])};
  (lanes.machine->gpu ? reduce_elements : call_reduce_elements)(b, *lanes.machine, arrays,
                                                                lanes.elements());
  const auto elements = [&](Scalar address, int i) {
    llvm::Type* form = x[0]->getType();
    return b.CreateLoad(form, b.CreateConstGEP1_32(form, address, static_cast<unsigned>(i)));
  };
  std::array<Registers, 2> changed{};
  for (int i = 0; i < lanes.registers; ++i) {
    changed[0][i] = elements(arrays.number, i);
    changed[1][i] = elements(arrays.r, i);
  }
  llvm::BasicBlock* last = b.GetInsertBlock();
  b.CreateBr(after);
  after->moveAfter(last);
  b.SetInsertPoint(after);
  std::array<Registers, 2> result{};
  for (size_t k = 0; k < near.size(); ++k)
    for (int i = 0; i < lanes.registers; ++i) {
      llvm::PHINode* joined = b.CreatePHI(x[0]->getType(), 2);
      joined->addIncoming(near[k][i], before);
      joined->addIncoming(changed[k][i], last);
      result[k][i] = joined;
    }
  reduced = {after, angle, result[0], result[1]};
  return {Value(lanes, x.type(), result[0]), Value(lanes, x.type(), result[1])};
}

}  // namespace tide::ir
