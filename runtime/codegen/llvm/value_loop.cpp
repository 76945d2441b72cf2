// Loops whose steps repeat until no element needs another one.
#include "runtime/codegen/llvm/value.h"

namespace tide::ir {

llvm::Value* any(const Mask& mask) {
  auto& builder = *mask.lanes->builder;
  llvm::Value* all = mask.registers[0];
  for (int i = 1; i < mask.lanes->registers; ++i)
    if (mask.registers[i] != mask.registers[0]) all = builder.CreateOr(all, mask.registers[i]);
  return mask.lanes->width == 1 ? all : builder.CreateOrReduce(all);
}

namespace {

/// Phis for each value of a state, with one predecessor so far.
LoopState joined_values(const LoopState& state, llvm::IRBuilderBase& builder,
                        llvm::BasicBlock* from) {
  LoopState joined;
  for (const Value& value : state) {
    Registers registers{};
    for (int i = 0; i < value.lanes().registers; ++i) {
      llvm::PHINode* phi = builder.CreatePHI(value[i]->getType(), 2);
      phi->addIncoming(value[i], from);
      registers[i] = phi;
    }
    joined.emplace_back(value.lanes(), value.type(), registers);
  }
  return joined;
}

void add_predecessor(const LoopState& joined, const LoopState& state, llvm::BasicBlock* from) {
  for (size_t k = 0; k < state.size(); ++k)
    for (int i = 0; i < state[k].lanes().registers; ++i)
      llvm::cast<llvm::PHINode>(joined[k][i])->addIncoming(state[k][i], from);
}

}  // namespace

LoopState repeat_while(LoopState state, const std::function<Mask(const LoopState&)>& unfinished,
                       const std::function<LoopState(const LoopState&)>& step) {
  auto& builder = *state[0].lanes().builder;
  llvm::BasicBlock* before = builder.GetInsertBlock();
  const auto new_block = [&] {
    return llvm::BasicBlock::Create(builder.getContext(), "", before->getParent());
  };
  llvm::BasicBlock* inside = new_block();
  llvm::BasicBlock* after = new_block();
  builder.CreateCondBr(any(unfinished(state)), inside, after);
  builder.SetInsertPoint(inside);
  const LoopState current = joined_values(state, builder, before);
  const LoopState stepped = step(current);
  llvm::Value* more = any(unfinished(stepped));
  llvm::BasicBlock* last = builder.GetInsertBlock();
  builder.CreateCondBr(more, inside, after);
  add_predecessor(current, stepped, last);
  after->moveAfter(last);
  builder.SetInsertPoint(after);
  const LoopState result = joined_values(state, builder, before);
  add_predecessor(result, stepped, last);
  return result;
}

}  // namespace tide::ir
