#include "runtime/codegen/llvm/body.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/codegen/llvm/elementwise_op.h"
#include "runtime/codegen/llvm/packed.h"
#include "runtime/codegen/llvm/storage.h"
#include "runtime/ir/elementwise_ops.h"

namespace tide::ir {
namespace {

using Kind = LoopInstruction::Kind;

}  // namespace

Lanes scalar_lanes(Frame& frame) { return {&frame.code.builder, &frame.machine, 1, 1}; }

Body::Body(Frame& frame, const Lanes& lanes, const Positions& positions, llvm::Value* index,
           llvm::Value* count)
    : frame_(frame),
      lanes_(lanes),
      positions_(&positions),
      index_(index),
      count_(count),
      values_(frame.program.code.size()),
      narrow_(frame.program.code.size()),
      uniform_(frame.program.code.size(), nullptr) {}

void Body::compute(const std::vector<bool>& needed) {
  for (size_t i = 0; i < needed.size(); ++i) {
    const LoopInstruction& instruction = frame_.program.code[i];
    if (!needed[i] || values_[i] || instruction.kind == Kind::store) continue;
    if (instruction.kind == Kind::load) {
      load(i);
    } else if (instruction.kind == Kind::parameter) {
      values_[i] = Value::broadcast(lanes_, compute_type(instruction.type),
                                    frame_.parameters[instruction.operand]);
    } else if (instruction.kind == Kind::map) {
      compute_map(i);
    } else {
      throw std::logic_error("a reduction's result is used before its pass");
    }
  }
}

Registers Body::narrowed(size_t instruction, DType type) {
  const bool known = narrow_[instruction] && frame_.program.code[instruction].type == type;
  return known ? *narrow_[instruction] : narrow(value(instruction), type);
}

void Body::set_narrow(size_t instruction, const Registers& raw) {
  narrow_[instruction] = raw;
  values_[instruction] = widen(lanes_, frame_.program.code[instruction].type, raw);
}

/// Converts to the instruction's type, rounding once.
void Body::round_into(size_t instruction, const Value& computed) {
  const DType type = frame_.program.code[instruction].type;
  if (is_narrow(type))
    set_narrow(instruction, narrow(computed, type));
  else
    values_[instruction] = convert(computed, type);
}

void Body::compute_map(size_t i) {
  const LoopInstruction& instruction = frame_.program.code[i];
  const DType type = instruction.type;
  const auto fits = [&](uint16_t input) {
    const LoopInstruction& before = frame_.program.code[input];
    return before.type == type && (before.kind == Kind::map || before.kind == Kind::load);
  };
  const auto inputs = inputs_of(instruction);
  if (is_packed(frame_.machine, instruction.op, type) && fits(inputs[0]) && fits(inputs[1])) {
    const Registers a = narrowed(inputs[0], type), b = narrowed(inputs[1], type);
    return set_narrow(i, packed(lanes_, instruction.op, type, a, b));
  }
  std::vector<Value> operands;
  for (const uint16_t input : inputs) operands.push_back(value(input));
  const bool converts = static_cast<ElementwiseOp>(instruction.op) == ElementwiseOp::convert;
  round_into(i, converts ? operands[0] : ir::apply(instruction.op, operands));
}

void Body::load(size_t i) {
  const LoopInstruction& instruction = frame_.program.code[i];
  const LoopOperand& operand = frame_.program.operands[instruction.operand];
  const bool is_iota = operand.kind == LoopOperand::Kind::iota;
  if (!is_iota && is_narrow(operand.type) && operand.type == instruction.type)
    return set_narrow(i, load_raw(instruction));
  const Value loaded =
      is_iota ? load_iota(instruction.operand) : widen(lanes_, operand.type, load_raw(instruction));
  round_into(i, loaded);
}

Value Body::load_iota(size_t operand) {
  auto& builder = frame_.code.builder;
  llvm::Value* stride = byte_stride(operand);
  llvm::Value* first = builder.CreateAdd((*positions_)[operand], builder.CreateMul(index_, stride));
  Registers registers{};
  for (int i = 0; i < lanes_.registers; ++i) {
    llvm::Value* skipped = builder.CreateMul(stride, frame_.code.number(i * lanes_.width));
    registers[i] = lanes_.splat(builder.CreateAdd(first, skipped));
    if (lanes_.width == 1) continue;
    std::vector<uint64_t> steps;
    for (int lane = 0; lane < lanes_.width; ++lane) steps.push_back(static_cast<uint64_t>(lane));
    llvm::Value* iota = llvm::ConstantDataVector::get(builder.getContext(), steps);
    registers[i] = builder.CreateAdd(registers[i], builder.CreateMul(lanes_.splat(stride), iota));
  }
  return Value(lanes_, DType::i64, registers);
}

llvm::Value* Body::byte_stride(size_t operand) {
  const LoopOperand& described = frame_.program.operands[operand];
  if (frame_.vector_strides[operand]) return frame_.vector_strides[operand];
  return frame_.code.number(described.vector_stride *
                            static_cast<int64_t>(size_of(described.type)));
}

llvm::Value* Body::element_address(size_t operand, llvm::Value* element) {
  auto& builder = frame_.code.builder;
  llvm::Value* distance = builder.CreateMul(element, byte_stride(operand));
  return frame_.code.address(builder.getInt8Ty(), (*positions_)[operand], distance);
}

/// The address of register i of a dense array.
llvm::Value* Body::part(llvm::Type* element, llvm::Value* base, int i) {
  return frame_.code.address(element, base, frame_.code.number(i * lanes_.width));
}

Registers Body::load_raw(const LoopInstruction& load) {
  return load.arity > 0 ? load_at(load) : load_memory(load.operand);
}

/// Loads at computed positions: if all elements have the same one, as usual from the array moved to
/// it.
Registers Body::load_at(const LoopInstruction& load) {
  auto& builder = frame_.code.builder;
  const LoopOperand& operand = frame_.program.operands[load.operand];
  const bool is_uniform =
      lanes_.width > 1 && std::all_of(load.a, load.a + load.arity,
                                      [&](uint16_t input) { return uniform_[input] != nullptr; });
  const Lanes single = scalar_lanes(frame_);
  const auto input = [&](int j) {
    return is_uniform ? Value::broadcast(single, DType::i64, uniform_[load.a[j]])
                      : value(load.a[j]);
  };
  const Value position = input(0), one = position.constant(1);
  const Value indices = minimum(maximum(position, one), input(1)) - one;
  const Value offsets = load.arity > 2 ? indices * input(2) : indices;
  if (lanes_.width == 1 || is_uniform) {
    llvm::Value* size = frame_.code.number(static_cast<int64_t>(size_of(operand.type)));
    Positions moved = *positions_;
    moved[load.operand] =
        frame_.moved(load.operand, moved[load.operand], builder.CreateMul(offsets[0], size));
    const Positions* const before = std::exchange(positions_, &moved);
    const Registers raw = load_memory(load.operand);
    positions_ = before;
    return raw;
  }
  if (!frame_.machine.gpu && !count_ && operand.vector_stride == 0)
    return load_neighbours(load.operand, offsets.registers());
  Registers raw{};
  for (int i = 0; i < lanes_.registers; ++i)
    raw[i] = load_at_each(load.operand, offsets.registers()[i], i);
  return raw;
}

/// Loads a dense vector where the elements of a register follow each other, as in most of a padded
/// or rolled row.
Registers Body::load_neighbours(size_t operand, const Registers& offsets) {
  auto& code = frame_.code;
  auto& builder = code.builder;
  const DType type = frame_.program.operands[operand].type;
  llvm::Type* element = memory_type(builder.getContext(), type);
  const auto size = static_cast<int64_t>(size_of(type));
  std::vector<uint64_t> steps;
  for (int lane = 0; lane < lanes_.width; ++lane) steps.push_back(static_cast<uint64_t>(lane));
  llvm::Value* iota = llvm::ConstantDataVector::get(builder.getContext(), steps);
  llvm::Type* form = lanes_.form(element);
  Registers raw{};
  for (int i = 0; i < lanes_.registers; ++i) {
    llvm::Value* first = builder.CreateExtractElement(offsets[i], uint64_t{0});
    llvm::Value* difference =
        builder.CreateXor(offsets[i], builder.CreateAdd(lanes_.splat(first), iota));
    llvm::Value* are_neighbours =
        builder.CreateICmpEQ(builder.CreateOrReduce(difference), code.number(0));
    llvm::AllocaInst* loaded = code.variable(llvm::Constant::getNullValue(form));
    code.when(are_neighbours, [&] {
      llvm::Value* from =
          element_address(operand, builder.CreateAdd(index_, code.number(i * lanes_.width)));
      code.set(loaded, code.load(form, code.address(element, from, first), size));
    });
    code.when(builder.CreateNot(are_neighbours),
              [&] { code.set(loaded, load_at_each(operand, offsets[i], i)); });
    raw[i] = code.get(loaded);
  }
  return raw;
}

/// Register i of an operand, element by element. In a tail, the last element is loaded again for
/// those past the count.
llvm::Value* Body::load_at_each(size_t operand, llvm::Value* offsets, int i) {
  auto& code = frame_.code;
  auto& builder = code.builder;
  const DType type = frame_.program.operands[operand].type;
  llvm::Type* element = memory_type(builder.getContext(), type);
  const auto size = static_cast<int64_t>(size_of(type));
  llvm::Value* raw = llvm::PoisonValue::get(lanes_.form(element));
  for (int lane = 0; lane < lanes_.width; ++lane) {
    llvm::Value* number = code.number(i * lanes_.width + lane);
    if (count_) number = code.smaller(number, builder.CreateSub(count_, code.number(1)));
    llvm::Value* within = count_ ? number : code.number(lane);
    llvm::Value* from = element_address(operand, builder.CreateAdd(index_, number));
    from = code.address(element, from, builder.CreateExtractElement(offsets, within));
    raw = builder.CreateInsertElement(raw, code.load(element, from, size),
                                      static_cast<uint64_t>(lane));
  }
  return raw;
}

/// The alignment of a dense vector of elements of this size.
int64_t Body::vector_alignment(int64_t size) const {
  return frame_.machine.gpu ? size * lanes_.width : size;
}

bool Body::has_masked_moves(DType type) const {
  return frame_.machine.avx512 || (frame_.machine.avx2 && size_of(type) >= 4);
}

llvm::Value* Body::mask() {
  if (mask_) return mask_;
  auto& builder = frame_.code.builder;
  std::vector<uint32_t> steps;
  for (int lane = 0; lane < lanes_.width; ++lane) steps.push_back(static_cast<uint32_t>(lane));
  llvm::Value* iota = llvm::ConstantDataVector::get(builder.getContext(), steps);
  llvm::Value* count = lanes_.splat(builder.CreateTrunc(count_, builder.getInt32Ty()));
  return mask_ = builder.CreateICmpULT(iota, count);
}

Value Body::where_counted(const Value& changed, const Value& old) {
  if (!count_) return changed;
  Mask counted{&lanes_, {}};
  counted.registers.fill(mask());
  return select(counted, changed, old);
}

Registers Body::load_memory(size_t operand) {
  auto& code = frame_.code;
  const LoopOperand& described = frame_.program.operands[operand];
  llvm::Type* element = memory_type(code.builder.getContext(), described.type);
  const auto size = static_cast<int64_t>(size_of(described.type));
  if (described.nested) return load_nested(operand);
  Registers raw{};
  if (lanes_.width == 1 || described.vector_stride == 0) {
    raw.fill(lanes_.splat(code.load(element, element_address(operand, index_), size)));
    return raw;
  }
  if (frame_.machine.gpu && described.vector_stride != 1) return load_each(operand);
  if (described.vector_stride == -1 && !count_) return load_reversed(operand);
  if (described.vector_stride != 1 || (count_ && !has_masked_moves(described.type)))
    return gather(operand);
  llvm::Value* base = code.address(element, (*positions_)[operand], index_);
  llvm::Type* form = lanes_.form(element);
  for (int i = 0; i < lanes_.registers; ++i) {
    llvm::Value* address = part(element, base, i);
    raw[i] = count_ ? code.builder.CreateMaskedLoad(form, address, llvm::Align(size), mask(),
                                                    llvm::Constant::getNullValue(form))
                    : code.load(form, address, described.indexed ? size : vector_alignment(size));
  }
  return raw;
}

/// Elements in descending order of address: loads dense vectors from the end and reverses them.
Registers Body::load_reversed(size_t operand) {
  auto& code = frame_.code;
  const DType type = frame_.program.operands[operand].type;
  llvm::Type* element = memory_type(code.builder.getContext(), type);
  const auto size = static_cast<int64_t>(size_of(type));
  std::vector<int> order;
  for (int lane = lanes_.width; lane-- > 0;) order.push_back(lane);
  llvm::Value* first = element_address(operand, index_);
  Registers raw{};
  for (int i = 0; i < lanes_.registers; ++i) {
    llvm::Value* lowest = code.address(element, first, code.number(1 - (i + 1) * lanes_.width));
    llvm::Value* dense = code.load(lanes_.form(element), lowest, size);
    raw[i] = code.builder.CreateShuffleVector(dense, order);
  }
  return raw;
}

/// Calls `one` in a loop for the elements 0..lanes or 0..count, with the address of each in an
/// operand.
void Body::copy(size_t operand,
                const std::function<void(llvm::Value* element, llvm::Value* address)>& one) {
  constexpr int kUnrolled = 4;
  auto& code = frame_.code;
  const int together = count_ ? 1 : kUnrolled;
  llvm::AllocaInst* address = code.variable(element_address(operand, index_));
  code.loop(code.number(0), count_ ? count_ : code.number(lanes_.elements()), together,
            [&](llvm::Value* first) {
              for (int i = 0; i < together; ++i) {
                llvm::Value* present = code.get(address);
                one(code.builder.CreateAdd(first, code.number(i)), present);
                code.set(address,
                         code.address(code.builder.getInt8Ty(), present, byte_stride(operand)));
              }
            });
}

/// Loads elements one by one into a buffer, and from there into registers.
Registers Body::gather(size_t operand) {
  auto& code = frame_.code;
  const DType type = frame_.program.operands[operand].type;
  llvm::Type* element = memory_type(code.builder.getContext(), type);
  const auto size = static_cast<int64_t>(size_of(type));
  llvm::Value* buffer = code.buffer(element, lanes_.elements());
  copy(operand, [&](llvm::Value* i, llvm::Value* from) {
    code.store(code.load(element, from, size), code.address(element, buffer, i), size);
  });
  Registers raw{};
  for (int i = 0; i < lanes_.registers; ++i)
    raw[i] = code.load(lanes_.form(element), part(element, buffer, i), size * lanes_.width);
  return raw;
}

const std::vector<llvm::Value*>& Body::row_indices() {
  if (row_indices_.empty()) row_indices_ = frame_.row_indices(index_);
  return row_indices_;
}

/// Loads vectors, or broadcasts one element, if all elements have the same indices except the last
/// one, and the operand is dense or constant along it; otherwise loads them one by one.
Registers Body::load_nested(size_t operand) {
  auto& code = frame_.code;
  auto& builder = code.builder;
  const DType type = frame_.program.operands[operand].type;
  llvm::Type* element = memory_type(builder.getContext(), type);
  const auto size = static_cast<int64_t>(size_of(type));
  const auto& indices = row_indices();
  llvm::Value* first = frame_.nested_address(operand, (*positions_)[operand], indices);
  Registers raw{};
  if (lanes_.width == 1) {
    raw[0] = code.load(element, first, size);
    return raw;
  }
  if (count_) return gather_nested(operand);
  const int last = frame_.dimensions() - 1;
  llvm::Value* stride = frame_.stride(operand, last);
  llvm::Value* end = builder.CreateAdd(indices.back(), code.number(lanes_.elements()));
  llvm::Value* fits = builder.CreateICmpSLE(end, frame_.extent(last));
  const auto has_stride = [&](int64_t bytes) {
    return builder.CreateAnd(fits, builder.CreateICmpEQ(stride, code.number(bytes)));
  };
  llvm::Value *dense = has_stride(size), *constant = has_stride(0);
  llvm::Type* form = lanes_.form(element);
  std::vector<llvm::AllocaInst*> loaded;
  for (int i = 0; i < lanes_.registers; ++i)
    loaded.push_back(code.variable(llvm::Constant::getNullValue(form)));
  const auto set_all = [&](const Registers& registers) {
    for (size_t i = 0; i < loaded.size(); ++i) code.set(loaded[i], registers[i]);
  };
  code.when(dense, [&] {
    for (size_t i = 0; i < loaded.size(); ++i)
      code.set(loaded[i], code.load(form, part(element, first, static_cast<int>(i)), size));
  });
  code.when(constant, [&] {
    Registers registers{};
    registers.fill(lanes_.splat(code.load(element, first, size)));
    set_all(registers);
  });
  code.when(builder.CreateNot(builder.CreateOr(dense, constant)),
            [&] { set_all(gather_nested(operand)); });
  for (size_t i = 0; i < loaded.size(); ++i) raw[i] = code.get(loaded[i]);
  return raw;
}

/// Loads elements one by one into a buffer. Their addresses are computed from the indices only
/// where the last index begins again.
Registers Body::gather_nested(size_t operand) {
  auto& code = frame_.code;
  auto& builder = code.builder;
  const DType type = frame_.program.operands[operand].type;
  llvm::Type* element = memory_type(builder.getContext(), type);
  const auto size = static_cast<int64_t>(size_of(type));
  const int last = frame_.dimensions() - 1;
  const auto& indices = row_indices();
  llvm::Value* buffer = code.buffer(element, lanes_.elements());
  llvm::AllocaInst* inner = code.variable(indices.back());
  llvm::AllocaInst* address =
      code.variable(frame_.nested_address(operand, (*positions_)[operand], indices));
  code.loop(
      code.number(0), count_ ? count_ : code.number(lanes_.elements()), 1, [&](llvm::Value* i) {
        code.store(code.load(element, code.get(address), size), code.address(element, buffer, i),
                   size);
        code.set(address, frame_.moved(operand, code.get(address), frame_.stride(operand, last)));
        llvm::Value* next = builder.CreateAdd(code.get(inner), code.number(1));
        code.set(inner, next);
        code.when(builder.CreateICmpEQ(next, frame_.extent(last)), [&] {
          llvm::Value* following = builder.CreateAdd(index_, builder.CreateAdd(i, code.number(1)));
          code.set(inner, code.number(0));
          code.set(address, frame_.nested_address(operand, (*positions_)[operand],
                                                  frame_.row_indices(following)));
        });
      });
  Registers raw{};
  for (int i = 0; i < lanes_.registers; ++i)
    raw[i] = code.load(lanes_.form(element), part(element, buffer, i), size * lanes_.width);
  return raw;
}

void Body::store(size_t instruction) {
  const LoopInstruction& described = frame_.program.code[instruction];
  const DType type = frame_.program.operands[described.operand].type;
  store_memory(described.operand, narrowed(described.a[0], type));
}

void Body::prefetch(size_t operand, llvm::Value* distance, const Share& share) {
  constexpr int64_t kCacheLine = 64;
  // Into the second-level cache: the first level is full of the current elements.
  constexpr int kRead = 0, kSecondLevel = 2, kData = 1;
  auto& code = frame_.code;
  auto& builder = code.builder;
  llvm::Value* first = frame_.moved(operand, element_address(operand, index_), distance);
  const auto size = static_cast<int64_t>(size_of(frame_.program.operands[operand].type));
  const int64_t lines = (size * lanes_.elements() + kCacheLine - 1) / kCacheLine;
  for (int64_t i = 0; i < lines; ++i) {
    if (!share.holds(i, lines)) continue;
    llvm::Value* line = code.address(builder.getInt8Ty(), first, code.number(i * kCacheLine));
    builder.CreateIntrinsic(
        llvm::Intrinsic::prefetch, {line->getType()},
        {line, builder.getInt32(kRead), builder.getInt32(kSecondLevel), builder.getInt32(kData)});
  }
}

void Body::store_memory(size_t operand, const Registers& raw) {
  auto& code = frame_.code;
  const LoopOperand& described = frame_.program.operands[operand];
  llvm::Type* element = memory_type(code.builder.getContext(), described.type);
  const auto size = static_cast<int64_t>(size_of(described.type));
  if (lanes_.width == 1) {
    code.store(raw[0], element_address(operand, index_), size);
    return;
  }
  if (frame_.machine.gpu && described.vector_stride != 1) return store_each(operand, raw);
  if (described.vector_stride != 1 || (count_ && !has_masked_moves(described.type)))
    return scatter(operand, raw);
  llvm::Value* base = code.address(element, (*positions_)[operand], index_);
  // Streaming stores need at least 16 bytes.
  const bool streaming =
      described.streaming && !count_ && size * lanes_.width >= 16 && !frame_.machine.gpu;
  for (int i = 0; i < lanes_.registers; ++i) {
    llvm::Value* address = part(element, base, i);
    if (count_) {
      code.builder.CreateMaskedStore(raw[i], address, llvm::Align(size), mask());
      continue;
    }
    llvm::StoreInst* store =
        code.store(raw[i], address, streaming ? size * lanes_.width : vector_alignment(size));
    if (!streaming) continue;
    llvm::Metadata* one = llvm::ConstantAsMetadata::get(code.builder.getInt32(1));
    store->setMetadata("nontemporal", llvm::MDNode::get(code.builder.getContext(), one));
  }
}

void Body::scatter(size_t operand, const Registers& raw) {
  auto& code = frame_.code;
  const DType type = frame_.program.operands[operand].type;
  llvm::Type* element = memory_type(code.builder.getContext(), type);
  const auto size = static_cast<int64_t>(size_of(type));
  llvm::Value* buffer = code.buffer(element, lanes_.elements());
  for (int i = 0; i < lanes_.registers; ++i)
    code.store(raw[i], part(element, buffer, i), size * lanes_.width);
  copy(operand, [&](llvm::Value* i, llvm::Value* to) {
    code.store(code.load(element, code.address(element, buffer, i), size), to, size);
  });
}

/// A GPU's vectors are parts of one thread's work: their elements are loaded one by one.
Registers Body::load_each(size_t operand) {
  auto& code = frame_.code;
  const DType type = frame_.program.operands[operand].type;
  llvm::Type* element = memory_type(code.builder.getContext(), type);
  Registers raw{};
  raw[0] = llvm::PoisonValue::get(lanes_.form(element));
  for (int lane = 0; lane < lanes_.width; ++lane) {
    llvm::Value* from = element_address(operand, code.builder.CreateAdd(index_, code.number(lane)));
    llvm::Value* loaded = code.load(element, from, static_cast<int64_t>(size_of(type)));
    raw[0] = code.builder.CreateInsertElement(raw[0], loaded, static_cast<uint64_t>(lane));
  }
  return raw;
}

void Body::store_each(size_t operand, const Registers& raw) {
  auto& code = frame_.code;
  const auto size = static_cast<int64_t>(size_of(frame_.program.operands[operand].type));
  for (int lane = 0; lane < lanes_.width; ++lane) {
    llvm::Value* to = element_address(operand, code.builder.CreateAdd(index_, code.number(lane)));
    code.store(code.builder.CreateExtractElement(raw[0], static_cast<uint64_t>(lane)), to, size);
  }
}

Value Body::load_private(DType type, llvm::Value* address) {
  auto& code = frame_.code;
  llvm::Type* element = element_type(code.builder.getContext(), type);
  const auto alignment = static_cast<int64_t>(size_of(type)) * lanes_.width;
  Registers registers{};
  for (int i = 0; i < lanes_.registers; ++i)
    registers[i] = code.load(lanes_.form(type), part(element, address, i), alignment);
  return Value(lanes_, type, registers);
}

void Body::store_private(const Value& value, llvm::Value* address) {
  auto& code = frame_.code;
  llvm::Type* element = element_type(code.builder.getContext(), value.type());
  const auto alignment = static_cast<int64_t>(size_of(value.type())) * lanes_.width;
  for (int i = 0; i < lanes_.registers; ++i)
    code.store(value[i], part(element, address, i), alignment);
}

}  // namespace tide::ir
