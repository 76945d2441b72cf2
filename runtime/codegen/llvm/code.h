// Structured control flow over an IR builder: loops, conditions, variables and stack memory.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <vector>

namespace tide::ir {

/// The body of one function under construction.
class Code {
 public:
  explicit Code(llvm::Function& function);

  llvm::IRBuilder<> builder;

  llvm::Value* number(int64_t value) { return builder.getInt64(static_cast<uint64_t>(value)); }

  using Body = std::function<void(llvm::Value* index)>;
  /// Runs `body` for index = begin, begin + step, ... as long as it is below `end`.
  void loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, const Body& body);
  void loop(llvm::Value* begin, llvm::Value* end, int64_t step, const Body& body) {
    loop(begin, end, number(step), body);
  }
  void when(llvm::Value* condition, const std::function<void()>& body);
  llvm::Value* smaller(llvm::Value* a, llvm::Value* b);

  /// A mutable variable: write it with set, read it with get. Promoted to a register at the end.
  llvm::AllocaInst* variable(llvm::Value* initial);
  llvm::Value* get(llvm::AllocaInst* variable);
  void set(llvm::AllocaInst* variable, llvm::Value* value) { builder.CreateStore(value, variable); }

  /// Stack memory for `count` elements, aligned to 64 bytes.
  llvm::Value* buffer(llvm::Type* element, int count);

  /// The address of element `index` from `base`.
  llvm::Value* address(llvm::Type* element, llvm::Value* base, llvm::Value* index) {
    return builder.CreateGEP(element, base, index);
  }
  llvm::Value* load(llvm::Type* type, llvm::Value* address, int64_t alignment);
  llvm::StoreInst* store(llvm::Value* value, llvm::Value* address, int64_t alignment);

  /// Ends the function.
  void finish();

 private:
  llvm::AllocaInst* allocate(llvm::Type* type);
  llvm::BasicBlock* block() {
    return llvm::BasicBlock::Create(builder.getContext(), "", &function_);
  }

  llvm::Function& function_;
  llvm::BasicBlock* entry_;
  std::vector<llvm::AllocaInst*> variables_;
};

}  // namespace tide::ir
