// Sums, differences and products only. They have the bits of float32 results rounded to the half
// type: double rounding is innocuous where the wide type has more than twice the digits of the
// narrow one (S. A. Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 30, 1995).
#include "runtime/codegen/llvm/packed.h"

#include <llvm/IR/Instruction.h>

#include "runtime/codegen/llvm/storage.h"
#include "runtime/ir/elementwise_ops.h"

namespace tide::ir {
namespace {

constexpr int kBf16Arithmetic = 90;  // the first compute capability that has it

llvm::Instruction::BinaryOps instruction_of(OpCode op) {
  if (static_cast<ElementwiseOp>(op) == ElementwiseOp::add) return llvm::Instruction::FAdd;
  return static_cast<ElementwiseOp>(op) == ElementwiseOp::sub ? llvm::Instruction::FSub
                                                              : llvm::Instruction::FMul;
}

}  // namespace

bool is_packed(const Machine& machine, OpCode op, DType type) {
  if (!machine.gpu || !is_half(type)) return false;
  if (type == DType::bf16 && machine.capability < kBf16Arithmetic) return false;
  const auto elementwise = static_cast<ElementwiseOp>(op);
  return elementwise == ElementwiseOp::add || elementwise == ElementwiseOp::sub ||
         elementwise == ElementwiseOp::mul;
}

Registers packed(const Lanes& lanes, OpCode op, DType type, const Registers& a,
                 const Registers& b) {
  auto& builder = *lanes.builder;
  llvm::Type* raw = lanes.form(memory_type(builder.getContext(), type));
  llvm::Type* half = lanes.form(half_type(builder.getContext(), type));
  Registers result{};
  for (int i = 0; i < lanes.registers; ++i) {
    llvm::Value* x = builder.CreateBitCast(a[i], half);
    llvm::Value* y = builder.CreateBitCast(b[i], half);
    result[i] = builder.CreateBitCast(builder.CreateBinOp(instruction_of(op), x, y), raw);
  }
  return result;
}

}  // namespace tide::ir
