// Steps that are repeated until no element needs another one.
#include "runtime/codegen/llvm/value.h"

namespace tide::ir {

llvm::Value* any(const Mask& mask) {
  auto& builder = *mask.lanes->builder;
  llvm::Value* all = mask.registers[0];
  for (int i = 1; i < mask.lanes->registers; ++i)
    if (mask.registers[i] != mask.registers[0]) all = builder.CreateOr(all, mask.registers[i]);
  return mask.lanes->width == 1 ? all : builder.CreateOrReduce(all);
}

Value repeat_while(Value state, const std::function<Mask(Value)>& unfinished,
                   const std::function<Value(Value)>& step) {
  const Lanes& lanes = state.lanes();
  auto& builder = *lanes.builder;
  llvm::BasicBlock* before = builder.GetInsertBlock();
  const auto new_block = [&] {
    return llvm::BasicBlock::Create(builder.getContext(), "", before->getParent());
  };
  llvm::BasicBlock* inside = new_block();
  llvm::BasicBlock* after = new_block();
  builder.CreateCondBr(any(unfinished(state)), inside, after);
  builder.SetInsertPoint(inside);
  Registers current{};
  for (int i = 0; i < lanes.registers; ++i) current[i] = builder.CreatePHI(state[i]->getType(), 2);
  const Value stepped = step(Value(lanes, state.type(), current));
  llvm::Value* more = any(unfinished(stepped));
  llvm::BasicBlock* last = builder.GetInsertBlock();
  builder.CreateCondBr(more, inside, after);
  after->moveAfter(last);
  builder.SetInsertPoint(after);
  Registers result{};
  for (int i = 0; i < lanes.registers; ++i) {
    auto* phi = llvm::cast<llvm::PHINode>(current[i]);
    phi->addIncoming(state[i], before);
    phi->addIncoming(stepped[i], last);
    llvm::PHINode* joined = builder.CreatePHI(state[i]->getType(), 2);
    joined->addIncoming(state[i], before);
    joined->addIncoming(stepped[i], last);
    result[i] = joined;
  }
  return Value(lanes, state.type(), result);
}

}  // namespace tide::ir
