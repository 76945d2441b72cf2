#include "runtime/codegen/llvm/frame.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>

#include "runtime/codegen/llvm/value.h"
#include "runtime/ir/elementwise_ops.h"

namespace tide::ir {
namespace {

/// Total cost of a program's ops, in instructions, from which its body counts as long.
constexpr int kLongBody = 24;

}  // namespace

Frame::Frame(llvm::Function& function, const LoopProgram& loop_program, const Machine& the_machine,
             const GpuForm& gpu)
    : code(function),
      program(loop_program),
      passes(loop_program),
      machine(the_machine),
      dimensions_(static_cast<int>(loop_program.dimensions())),
      narrow_(the_machine.gpu && gpu.narrow) {
  choose_lanes();
  if (machine.gpu)
    find_gpu_arguments(function.getArg(0), gpu);
  else
    find_arguments(function);
  load_strides();
  for (size_t k = 0; k < program.operands.size(); ++k) {
    const LoopOperand& operand = program.operands[k];
    const bool is_fixed = operand.kind == LoopOperand::Kind::memory &&
                          operand.vector_stride != LoopOperand::kAnyStride;
    vector_strides.push_back(is_fixed ? nullptr : stride(k, vector_dimension()));
  }
}

void Frame::find_arguments(llvm::Function& function) {
  llvm::Value* arguments = function.getArg(0);
  llvm::Value* range = function.getArg(1);
  workspace = function.getArg(2);
  bases_ = pointer_field(arguments, offsetof(LoopArguments, bases));
  extents_ = pointer_field(arguments, offsetof(LoopArguments, extents));
  strides_ = pointer_field(arguments, offsetof(LoopArguments, strides));
  outer_begin_ = range_field(range, offsetof(LoopRange, outer_begin));
  outer_end_ = range_field(range, offsetof(LoopRange, outer_end));
  vector_begin = range_field(range, offsetof(LoopRange, vector_begin));
  vector_end = range_field(range, offsetof(LoopRange, vector_end));
  row_begin = range_field(range, offsetof(LoopRange, row_begin));
  row_end = range_field(range, offsetof(LoopRange, row_end));
  load_parameters(pointer_field(arguments, offsetof(LoopArguments, parameters)));
}

/// All arguments are consecutive words of the kernel's only parameter, or of an entry of its table.
void Frame::find_gpu_arguments(llvm::Value* words, const GpuForm& gpu) {
  if (gpu.table != GpuTable::none) words = find_loop(words, gpu.table);
  const GpuWords layout(program);
  const auto at = [&](size_t word) {
    return code.address(code.builder.getInt64Ty(), words, code.number(static_cast<int64_t>(word)));
  };
  bases_ = words;
  extents_ = at(layout.extents);
  strides_ = at(layout.strides);
  load_parameters(at(layout.parameters));
  units = code.load(code.builder.getInt64Ty(), at(layout.units), 8);
}

/// The words of this block's loop. Its entry is the last one whose first block is not after this
/// block, found by binary search. All threads of a block take the same path.
llvm::Value* Frame::find_loop(llvm::Value* table, GpuTable size) {
  auto& builder = code.builder;
  const GpuTableLayout layout(program, size);
  llvm::Value* of_launch = read_register(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  llvm::Type* word = builder.getInt64Ty();
  const auto address_of = [&](llvm::Value* entry, int64_t within) {
    llvm::Value* begin = builder.CreateMul(entry, code.number(static_cast<int64_t>(layout.entry)));
    return code.address(word, table, builder.CreateAdd(begin, code.number(within)));
  };
  llvm::Value* loop_index = code.number(0);
  for (size_t step = std::bit_floor(layout.entries); step > 0; step /= 2) {
    llvm::Value* next = builder.CreateAdd(loop_index, code.number(static_cast<int64_t>(step)));
    next = code.smaller(next, code.number(static_cast<int64_t>(layout.entries)));
    llvm::Value* first = code.load(word, address_of(next, 0), 8);
    loop_index = builder.CreateSelect(builder.CreateICmpSLE(first, of_launch), next, loop_index);
  }
  llvm::Value* first = code.load(word, address_of(loop_index, 0), 8);
  llvm::Value* end = code.load(word, address_of(loop_index, static_cast<int64_t>(layout.entry)), 8);
  block = builder.CreateSub(of_launch, first);
  blocks = builder.CreateSub(end, first);
  return address_of(loop_index, 1);
}

llvm::Value* Frame::read_register(llvm::Intrinsic::ID id) {
  return code.builder.CreateZExt(code.builder.CreateIntrinsic(id, {}, {}),
                                 code.builder.getInt64Ty());
}

/// Chooses the vector width and the registers per value.
void Frame::choose_lanes() {
  size_t widest = 1;
  for (const LoopOperand& operand : program.operands)
    widest = std::max(widest, size_of(operand.type));
  for (const LoopInstruction& instruction : program.code)
    widest = std::max(widest, size_of(compute_type(instruction.type)));
  width = registers = 1;  // kernels for GPUs choose their own
  if (machine.gpu) return;
  width = machine.vector_bytes / static_cast<int>(widest);
  // With 16 registers, four at a time make long bodies spill as much as they overlap.
  int cost = 0;
  for (const LoopInstruction& instruction : program.code)
    if (instruction.kind == LoopInstruction::Kind::map)
      cost += cost_of(static_cast<ElementwiseOp>(instruction.op));
  registers = std::min(machine.avx512 || cost < kLongBody ? 4 : 2, kReductionLanes / width);
}

llvm::Value* Frame::pointer_field(llvm::Value* structure, size_t offset) {
  llvm::Value* address =
      code.address(code.builder.getInt8Ty(), structure, code.number(static_cast<int64_t>(offset)));
  return code.load(code.builder.getPtrTy(), address, 8);
}

llvm::Value* Frame::range_field(llvm::Value* range, size_t offset) {
  llvm::Value* address =
      code.address(code.builder.getInt8Ty(), range, code.number(static_cast<int64_t>(offset)));
  return code.load(code.builder.getInt64Ty(), address, 8);
}

void Frame::load_parameters(llvm::Value* from) {
  parameters.resize(program.parameter_count);
  for (const LoopInstruction& instruction : program.code) {
    if (instruction.kind != LoopInstruction::Kind::parameter) continue;
    llvm::Type* type = element_type(code.builder.getContext(), compute_type(instruction.type));
    llvm::Value* address =
        code.address(code.builder.getInt64Ty(), from, code.number(instruction.operand));
    parameters[instruction.operand] = code.load(type, address, 8);
  }
}

int Frame::vector_dimension() const {
  return program.orientation == Orientation::row ? program.outer_rank : program.outer_rank - 1;
}

llvm::Value* Frame::stride(size_t operand, int d) {
  const size_t number = operand * static_cast<size_t>(dimensions_) + static_cast<size_t>(d);
  return number < known_strides_.size() ? known_strides_[number] : load_stride(operand, d);
}

/// Loads strides before the CPU's loops, because no pass hoists loads out of them. Unused ones are
/// dropped from the code.
void Frame::load_strides() {
  if (machine.gpu) return;
  for (size_t k = 0; k < program.operands.size(); ++k)
    for (int d = 0; d < dimensions_; ++d) known_strides_.push_back(load_stride(k, d));
}

llvm::Value* Frame::load_stride(size_t operand, int d) {
  llvm::Value* index = code.number(static_cast<int64_t>(operand) * dimensions_ + d);
  llvm::Value* address = code.address(code.builder.getInt64Ty(), strides_, index);
  llvm::Value* elements = code.load(code.builder.getInt64Ty(), address, 8);
  const LoopOperand& described = program.operands[operand];
  if (described.kind == LoopOperand::Kind::iota) return elements;
  return code.builder.CreateMul(elements,
                                code.number(static_cast<int64_t>(size_of(described.type))));
}

llvm::Value* Frame::moved(size_t operand, llvm::Value* position, llvm::Value* distance) {
  if (program.operands[operand].kind == LoopOperand::Kind::iota)
    return code.builder.CreateAdd(position, distance);
  return code.address(code.builder.getInt8Ty(), position, distance);
}

Positions Frame::moved(const Positions& positions, int d, llvm::Value* index) {
  Positions result = positions;
  for (size_t k = 0; k < positions.size(); ++k)
    if (d < program.outer_rank || !program.operands[k].per_row)
      result[k] = moved(k, positions[k], code.builder.CreateMul(index, stride(k, d)));
  return result;
}

Positions Frame::moved_to_block(const Positions& positions, llvm::Value* block) {
  Positions result = positions;
  for (size_t k = 0; k < positions.size(); ++k)
    result[k] =
        moved(k, positions[k],
              code.builder.CreateMul(block, stride(k, static_cast<int>(program.outer_rank))));
  return result;
}

llvm::Value* Frame::extent(int d) {
  llvm::Value* address = code.address(code.builder.getInt64Ty(), extents_, code.number(d));
  return code.load(code.builder.getInt64Ty(), address, 8);
}

std::pair<llvm::Value*, llvm::Value*> Frame::divide(llvm::Value* item, llvm::Value* divisor) {
  auto& builder = code.builder;
  if (!narrow_) return {builder.CreateUDiv(item, divisor), builder.CreateURem(item, divisor)};
  llvm::Type* word = builder.getInt32Ty();
  llvm::Value* low = builder.CreateTrunc(item, word);
  llvm::Value* by = builder.CreateTrunc(divisor, word);
  llvm::Value* quotient = builder.CreateUDiv(low, by);
  llvm::Value* remainder = builder.CreateSub(low, builder.CreateMul(quotient, by));
  llvm::Type* wide = builder.getInt64Ty();
  return {builder.CreateZExt(quotient, wide), builder.CreateZExt(remainder, wide)};
}

std::vector<llvm::Value*> Frame::row_indices(llvm::Value* element) {
  std::vector<llvm::Value*> indices(program.row_rank);
  for (int d = program.row_rank - 1; d > 0; --d)
    std::tie(element, indices[static_cast<size_t>(d)]) =
        divide(element, extent(program.outer_rank + 1 + d));
  indices[0] = element;
  return indices;
}

llvm::Value* Frame::nested_address(size_t operand, llvm::Value* position,
                                   const std::vector<llvm::Value*>& row_indices) {
  for (size_t d = 0; d < row_indices.size(); ++d) {
    const int dimension = program.outer_rank + 1 + static_cast<int>(d);
    position = moved(operand, position,
                     code.builder.CreateMul(row_indices[d], stride(operand, dimension)));
  }
  return position;
}

Positions Frame::positions_at(const std::vector<llvm::Value*>& indices) {
  Positions positions;
  for (size_t k = 0; k < program.operands.size(); ++k) {
    const bool iota = program.operands[k].kind == LoopOperand::Kind::iota;
    llvm::Type* type = iota ? static_cast<llvm::Type*>(code.builder.getInt64Ty())
                            : static_cast<llvm::Type*>(code.builder.getPtrTy(machine.data_space));
    llvm::Value* at =
        code.address(code.builder.getInt64Ty(), bases_, code.number(static_cast<int64_t>(k)));
    positions.push_back(code.load(type, at, 8));
  }
  for (size_t d = 0; d < indices.size(); ++d)
    positions = moved(positions, static_cast<int>(d), indices[d]);
  return positions;
}

void Frame::for_each_outer(const std::function<void(const Positions&)>& body) {
  auto& builder = code.builder;
  const int walked =
      program.orientation == Orientation::row ? program.outer_rank : program.outer_rank - 1;
  // The linear index is split once; after that, indices and positions are incremented.
  std::vector<llvm::Value*> start(static_cast<size_t>(walked));
  llvm::Value* remaining = outer_begin_;
  for (int d = walked - 1; d >= 0; --d) {
    llvm::Value* one = code.number(1);
    llvm::Value* size = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, extent(d), one);
    start[static_cast<size_t>(d)] = d == 0 ? remaining : builder.CreateURem(remaining, size);
    if (d > 0) remaining = builder.CreateUDiv(remaining, size);
  }
  std::vector<llvm::AllocaInst*> indices, positions;
  for (llvm::Value* index : start) indices.push_back(code.variable(index));
  for (llvm::Value* position : positions_at(start)) positions.push_back(code.variable(position));
  code.loop(outer_begin_, outer_end_, 1, [&](llvm::Value* outer) {
    outer_ = outer;
    Positions current;
    for (llvm::AllocaInst* position : positions) current.push_back(code.get(position));
    body(current);
    if (walked > 0) advance(indices, positions, walked - 1);
  });
}

llvm::Value* Frame::distance_to_next(size_t operand) {
  llvm::Value* following = code.builder.CreateAdd(outer_, code.number(1));
  return code.builder.CreateSelect(code.builder.CreateICmpSLT(following, outer_end_),
                                   stride(operand, program.outer_rank - 1), code.number(0));
}

void Frame::advance(const std::vector<llvm::AllocaInst*>& indices,
                    const std::vector<llvm::AllocaInst*>& positions, int d) {
  auto& builder = code.builder;
  llvm::AllocaInst* index = indices[static_cast<size_t>(d)];
  llvm::Value* next = builder.CreateAdd(code.get(index), code.number(1));
  code.set(index, next);
  for (size_t k = 0; k < positions.size(); ++k)
    code.set(positions[k], moved(k, code.get(positions[k]), stride(k, d)));
  if (d == 0) return;
  llvm::Value* size = extent(d);
  code.when(builder.CreateICmpSGE(next, size), [&] {
    code.set(index, code.number(0));
    for (size_t k = 0; k < positions.size(); ++k) {
      llvm::Value* back = builder.CreateNeg(builder.CreateMul(size, stride(k, d)));
      code.set(positions[k], moved(k, code.get(positions[k]), back));
    }
    advance(indices, positions, d - 1);
  });
}

std::vector<bool> Frame::needed_for(const std::vector<size_t>& roots,
                                    const std::vector<bool>& known) const {
  std::vector<bool> needed(program.code.size(), false);
  for (const size_t root : roots) needed[root] = true;
  for (size_t i = program.code.size(); i-- > 0;)
    if (needed[i] && !known[i])
      for (const uint16_t input : inputs_of(program.code[i])) needed[input] = true;
  return needed;
}

std::vector<size_t> Frame::instructions(
    const std::function<bool(const LoopInstruction&, size_t)>& chosen) const {
  std::vector<size_t> result;
  for (size_t i = 0; i < program.code.size(); ++i)
    if (chosen(program.code[i], i)) result.push_back(i);
  return result;
}

std::vector<size_t> Frame::reductions_of(int pass) const {
  return instructions([&](const LoopInstruction& described, size_t i) {
    return described.kind == LoopInstruction::Kind::reduce &&
           passes.instructions[i].level == pass + 1;
  });
}

std::vector<size_t> Frame::streams() const {
  std::vector<size_t> operands;
  for (const LoopInstruction& load : program.code) {
    if (load.kind != LoopInstruction::Kind::load) continue;
    const LoopOperand& operand = program.operands[load.operand];
    if (operand.kind == LoopOperand::Kind::memory && operand.vector_stride == 1 &&
        !operand.per_row && !operand.indexed)
      operands.push_back(load.operand);
  }
  return operands;
}

std::vector<size_t> Frame::stores(bool per_row) const {
  return instructions([&](const LoopInstruction& described, size_t i) {
    return described.kind == LoopInstruction::Kind::store &&
           passes.instructions[i].per_row == per_row;
  });
}

llvm::Type* Frame::scalar_type(size_t i) const {
  return element_type(code.builder.getContext(), type_of(i));
}

}  // namespace tide::ir
