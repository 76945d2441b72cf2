#include "runtime/codegen/llvm/code.h"

#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace tide::ir {

Code::Code(llvm::Function& function)
    : builder(function.getContext()),
      function_(function),
      entry_(llvm::BasicBlock::Create(function.getContext(), "", &function)) {
  // Allocas are collected in the entry block, which is terminated at the end.
  builder.SetInsertPoint(block());
}

void Code::loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, const Body& body) {
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* inside = block();
  llvm::BasicBlock* after = block();
  builder.CreateCondBr(builder.CreateICmpSLT(begin, end), inside, after);
  builder.SetInsertPoint(inside);
  llvm::PHINode* index = builder.CreatePHI(begin->getType(), 2);
  index->addIncoming(begin, before);
  body(index);
  llvm::Value* next = builder.CreateAdd(index, step);
  index->addIncoming(next, builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpSLT(next, end), inside, after);
  after->moveAfter(builder.GetInsertBlock());
  builder.SetInsertPoint(after);
}

void Code::when(llvm::Value* condition, const std::function<void()>& body) {
  llvm::BasicBlock* inside = block();
  llvm::BasicBlock* after = block();
  builder.CreateCondBr(condition, inside, after);
  builder.SetInsertPoint(inside);
  body();
  builder.CreateBr(after);
  after->moveAfter(builder.GetInsertBlock());
  builder.SetInsertPoint(after);
}

llvm::Value* Code::smaller(llvm::Value* a, llvm::Value* b) {
  return builder.CreateSelect(builder.CreateICmpSLT(a, b), a, b);
}

llvm::AllocaInst* Code::allocate(llvm::Type* type) {
  return llvm::IRBuilder<>(entry_).CreateAlloca(type);
}

llvm::AllocaInst* Code::variable(llvm::Value* initial) {
  llvm::AllocaInst* slot = allocate(initial->getType());
  variables_.push_back(slot);
  set(slot, initial);
  return slot;
}

llvm::Value* Code::get(llvm::AllocaInst* variable) {
  return builder.CreateLoad(variable->getAllocatedType(), variable);
}

llvm::Value* Code::buffer(llvm::Type* element, int count) {
  llvm::AllocaInst* slot = allocate(llvm::ArrayType::get(element, static_cast<uint64_t>(count)));
  slot->setAlignment(llvm::Align(64));
  return slot;
}

llvm::Value* Code::load(llvm::Type* type, llvm::Value* address, int64_t alignment) {
  return builder.CreateAlignedLoad(type, address, llvm::Align(static_cast<uint64_t>(alignment)));
}

llvm::StoreInst* Code::store(llvm::Value* value, llvm::Value* address, int64_t alignment) {
  return builder.CreateAlignedStore(value, address, llvm::Align(static_cast<uint64_t>(alignment)));
}

void Code::finish() {
  builder.CreateRetVoid();
  llvm::IRBuilder<>(entry_).CreateBr(entry_->getNextNode());
  llvm::DominatorTree tree(function_);
  llvm::PromoteMemToReg(variables_, tree);
}

}  // namespace tide::ir
