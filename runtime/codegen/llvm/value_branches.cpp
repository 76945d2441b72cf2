// Values that need a branch: what is computed only where it is rarely needed, and repeated steps.
#include <llvm/IR/MDBuilder.h>

#include <vector>

#include "runtime/codegen/llvm/value.h"

namespace tide::ir {
namespace {

/// Blocks of the function that a builder writes.
class Blocks {
 public:
  explicit Blocks(llvm::IRBuilder<>& builder)
      : builder_(builder), function_(builder.GetInsertBlock()->getParent()) {}

  llvm::BasicBlock* make() {
    return llvm::BasicBlock::Create(builder_.getContext(), "", function_);
  }
  /// Goes to `rare` if the condition holds, and writes on there.
  void branch(llvm::Value* condition, llvm::BasicBlock* rare, llvm::BasicBlock* usual) {
    llvm::MDNode* weights = llvm::MDBuilder(builder_.getContext()).createBranchWeights(1, 2000);
    builder_.CreateCondBr(condition, rare, usual, weights);
    builder_.SetInsertPoint(rare);
  }
  void go_on(llvm::BasicBlock* next) {
    builder_.CreateBr(next);
    builder_.SetInsertPoint(next);
  }
  /// Stack memory for the elements of a value, which registers are stored to whole.
  llvm::Value* buffer(llvm::Type* element, int count) {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    llvm::IRBuilder<> first(&entry, entry.begin());
    auto* type = llvm::ArrayType::get(element, static_cast<uint64_t>(count));
    llvm::AllocaInst* place = first.CreateAlloca(type);
    place->setAlignment(llvm::Align(64));
    return place;
  }

 private:
  llvm::IRBuilder<>& builder_;
  llvm::Function* function_;
};

/// Whether the condition holds in any element.
llvm::Value* any(const Mask& mask) {
  auto& builder = *mask.lanes->builder;
  llvm::Value* all = mask.registers[0];
  for (int i = 1; i < mask.lanes->registers; ++i)
    if (mask.registers[i] != mask.registers[0]) all = builder.CreateOr(all, mask.registers[i]);
  return mask.lanes->width == 1 ? all : builder.CreateOrReduce(all);
}

/// One value of what either of two blocks has computed.
llvm::Value* joined(llvm::IRBuilder<>& builder, llvm::Value* a, llvm::BasicBlock* from_a,
                    llvm::Value* b, llvm::BasicBlock* from_b) {
  llvm::PHINode* phi = builder.CreatePHI(a->getType(), 2);
  phi->addIncoming(a, from_a);
  phi->addIncoming(b, from_b);
  return phi;
}

Value scalar(const Lanes& lanes, DType type, llvm::Value* value) {
  Registers registers{};
  registers.fill(value);
  return Value(lanes, type, registers);
}

using Compute = std::function<void(Value x, std::span<Value> values)>;

/// One element after another, each behind a branch of its own: a GPU's few, without memory.
void replace_unrolled(const Mask& rare, const Value& x, std::span<Value> values,
                      const Compute& compute) {
  const Lanes& lanes = x.lanes();
  auto& builder = *lanes.builder;
  const Lanes single{lanes.builder, lanes.machine, 1, 1};
  Blocks blocks(builder);
  const auto element = [&](llvm::Value* from, int lane) {
    return lanes.width == 1 ? from
                            : builder.CreateExtractElement(from, static_cast<uint64_t>(lane));
  };
  for (int i = 0; i < lanes.elements(); ++i) {
    const int at = i / lanes.width, lane = i % lanes.width;
    llvm::Value* needed = element(rare.registers[at], lane);
    llvm::BasicBlock* before = builder.GetInsertBlock();
    llvm::BasicBlock* inside = blocks.make();
    llvm::BasicBlock* after = blocks.make();
    blocks.branch(needed, inside, after);
    std::vector<Value> computed;
    for (const Value& value : values)
      computed.push_back(scalar(single, value.type(), element(value[at], lane)));
    compute(scalar(single, x.type(), element(x[at], lane)), computed);
    std::vector<llvm::Value*> changed;
    for (size_t k = 0; k < values.size(); ++k)
      changed.push_back(lanes.width == 1
                            ? computed[k][0]
                            : builder.CreateInsertElement(values[k][at], computed[k][0],
                                                          static_cast<uint64_t>(lane)));
    llvm::BasicBlock* last = builder.GetInsertBlock();
    blocks.go_on(after);
    for (size_t k = 0; k < values.size(); ++k) {
      Registers registers = values[k].registers();
      registers[at] = joined(builder, registers[at], before, changed[k], last);
      values[k] = Value(lanes, values[k].type(), registers);
    }
  }
}

/// The elements of a value in memory, register by register.
class Stored {
 public:
  Stored(Blocks& blocks, const Lanes& lanes, const Registers& registers)
      : lanes_(lanes),
        builder_(*lanes.builder),
        element_(registers[0]->getType()->getScalarType()),
        place_(blocks.buffer(element_, lanes.elements())) {
    for (int i = 0; i < lanes.registers; ++i)
      builder_.CreateAlignedStore(registers[i], part(i), alignment(lanes.width));
  }
  Registers load() {
    Registers registers{};
    for (int i = 0; i < lanes_.registers; ++i)
      registers[i] =
          builder_.CreateAlignedLoad(lanes_.form(element_), part(i), alignment(lanes_.width));
    return registers;
  }
  llvm::Value* load(llvm::Value* index) {
    return builder_.CreateAlignedLoad(element_, address(index), alignment(1));
  }
  void store(llvm::Value* index, llvm::Value* value) {
    builder_.CreateAlignedStore(value, address(index), alignment(1));
  }

 private:
  llvm::Value* address(llvm::Value* index) { return builder_.CreateGEP(element_, place_, index); }
  llvm::Value* part(int i) {
    return address(builder_.getInt64(static_cast<uint64_t>(i) * lanes_.width));
  }
  llvm::Align alignment(int count) const {
    return llvm::Align(element_->getScalarSizeInBits() / 8 * static_cast<uint64_t>(count));
  }

  const Lanes& lanes_;
  llvm::IRBuilder<>& builder_;
  llvm::Type* element_;
  llvm::Value* place_;
};

/// In a loop over the elements, which takes them from memory: short code for many registers.
void replace_in_loop(const Mask& rare, const Value& x, std::span<Value> values,
                     const Compute& compute) {
  const Lanes& lanes = x.lanes();
  auto& builder = *lanes.builder;
  const Lanes single{lanes.builder, lanes.machine, 1, 1};
  Blocks blocks(builder);
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* inside = blocks.make();
  llvm::BasicBlock* turn = blocks.make();
  llvm::BasicBlock* found = blocks.make();
  llvm::BasicBlock* next = blocks.make();
  llvm::BasicBlock* behind = blocks.make();
  llvm::BasicBlock* after = blocks.make();
  blocks.branch(any(rare), inside, after);

  Stored mask(blocks, lanes, to_bool(rare).registers());
  Stored argument(blocks, lanes, x.registers());
  std::vector<Stored> stored;
  for (const Value& value : values) stored.emplace_back(blocks, lanes, value.registers());
  blocks.go_on(turn);
  llvm::PHINode* index = builder.CreatePHI(builder.getInt64Ty(), 2);
  index->addIncoming(builder.getInt64(0), inside);
  builder.CreateCondBr(builder.CreateIsNotNull(mask.load(index)), found, next);

  builder.SetInsertPoint(found);
  std::vector<Value> computed;
  for (size_t k = 0; k < values.size(); ++k)
    computed.push_back(scalar(single, values[k].type(), stored[k].load(index)));
  compute(scalar(single, x.type(), argument.load(index)), computed);
  for (size_t k = 0; k < values.size(); ++k) stored[k].store(index, computed[k][0]);
  blocks.go_on(next);

  llvm::Value* following = builder.CreateAdd(index, builder.getInt64(1));
  index->addIncoming(following, next);
  llvm::Value* count = builder.getInt64(static_cast<uint64_t>(lanes.elements()));
  builder.CreateCondBr(builder.CreateICmpULT(following, count), turn, behind);
  builder.SetInsertPoint(behind);
  std::vector<Registers> changed;
  for (Stored& one : stored) changed.push_back(one.load());
  blocks.go_on(after);
  for (size_t k = 0; k < values.size(); ++k) {
    Registers registers{};
    for (int i = 0; i < lanes.registers; ++i)
      registers[i] = joined(builder, values[k][i], before, changed[k][i], behind);
    values[k] = Value(lanes, values[k].type(), registers);
  }
}

}  // namespace

void replace_rare(Mask rare, Value x, std::span<Value> values, const Compute& compute) {
  if (x.lanes().machine->gpu || x.lanes().elements() == 1)
    replace_unrolled(rare, x, values, compute);
  else
    replace_in_loop(rare, x, values, compute);
}

Value repeat_while(Value state, const std::function<Mask(Value)>& unfinished,
                   const std::function<Value(Value)>& step) {
  const Lanes& lanes = state.lanes();
  auto& builder = *lanes.builder;
  Blocks blocks(builder);
  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* inside = blocks.make();
  llvm::BasicBlock* after = blocks.make();
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
    result[i] = joined(builder, state[i], before, stepped[i], last);
  }
  return Value(lanes, state.type(), result);
}

}  // namespace tide::ir
