// Computes the passes of a row program and the values it keeps between them.
#include "runtime/ir/loop_passes.h"

#include <algorithm>
#include <utility>

#include "runtime/ir/elementwise_ops.h"

namespace tide {
namespace {

using Kind = LoopInstruction::Kind;

/// From this cost on, reading a value back from the cache is cheaper than recomputing it.
constexpr int kKeepCost = 8;

}  // namespace

LoopPasses::LoopPasses(const LoopProgram& program)
    : instructions(program.code.size()),
      orientation(program.orientation),
      has_blocks(!program.partial && !program.single_block) {
  if (!program.has_row) return;
  find_levels(program);
  if (orientation == Orientation::row)
    keep_elements(program);
  else
    keep_rows(program);
}

void LoopPasses::find_levels(const LoopProgram& program) {
  for (size_t i = 0; i < program.code.size(); ++i) {
    const LoopInstruction& instruction = program.code[i];
    Instruction& found = instructions[i];
    found.per_row = true;
    for (const uint16_t input : inputs_of(instruction)) {
      found.level = std::max(found.level, instructions[input].level);
      found.per_row = found.per_row && instructions[input].per_row;
    }
    if (instruction.kind == Kind::load)
      found.per_row = found.per_row && program.operands[instruction.operand].per_row;
    if (instruction.kind == Kind::store)
      found.per_row = program.operands[instruction.operand].per_row ||
                      (program.partial && program.code[instruction.a[0]].kind == Kind::reduce);
    if (instruction.kind == Kind::reduce) {
      found = {.per_row = true, .level = found.level + 1};
      count = std::max(count, found.level);
      reduction_types.push_back(compute_type(instruction.type));
    }
    if (instruction.kind == Kind::store && !found.per_row) count = std::max(count, found.level + 1);
  }
}

/// Walks back from the outputs of each pass, keeping expensive values of earlier passes.
void LoopPasses::keep_elements(const LoopProgram& program) {
  const size_t size = program.code.size();
  std::vector<int> first_pass(size, -1);
  for (int pass = 0; pass < count; ++pass) {
    std::vector<bool> needed(size, false);
    for (size_t i = size; i-- > 0;) {
      const LoopInstruction& instruction = program.code[i];
      const Instruction& found = instructions[i];
      const bool reduced = instruction.kind == Kind::reduce && found.level == pass + 1;
      const bool stored = instruction.kind == Kind::store && !found.per_row && pass == count - 1;
      if (!reduced && !stored && (!needed[i] || found.per_row)) continue;
      if (instruction.kind == Kind::map &&
          cost_of(static_cast<ElementwiseOp>(instruction.op)) >= kKeepCost) {
        if (first_pass[i] >= 0) {
          if (found.workspace < 0) keep(i, compute_type(instruction.type));
          continue;
        }
        first_pass[i] = pass;
      }
      for (const uint16_t input : inputs_of(instruction)) needed[input] = true;
    }
  }
}

RowStage LoopPasses::row_stage(const LoopProgram& program, bool keeps) const {
  const size_t size = program.code.size();
  std::vector<int> last_pass(program.operands.size(), -1);
  std::vector<bool> again(program.operands.size(), false);
  std::vector<int> kept_in(keeps ? workspace_types.size() : 0, -1);  // the pass that computes it
  for (int pass = 0; pass < count; ++pass) {
    std::vector<bool> needed(size, false);
    for (size_t i = size; i-- > 0;) {
      const LoopInstruction& instruction = program.code[i];
      const Instruction& found = instructions[i];
      const bool reduced = instruction.kind == Kind::reduce && found.level == pass + 1;
      const bool stored = instruction.kind == Kind::store && !found.per_row && pass == count - 1;
      if (!reduced && !stored && (!needed[i] || found.per_row)) continue;
      if (keeps && found.workspace >= 0) {
        int& first = kept_in[static_cast<size_t>(found.workspace)];
        if (first >= 0) continue;
        first = pass;
      }
      for (const uint16_t input : inputs_of(instruction)) needed[input] = true;
      if (instruction.kind != Kind::load) continue;
      const int before = std::exchange(last_pass[instruction.operand], pass);
      if (before >= 0 && before != pass) again[instruction.operand] = true;
    }
  }
  for (const LoopInstruction& instruction : program.code)
    if (instruction.kind == Kind::store) again[instruction.operand] = false;
  RowStage stage;
  for (size_t k = 0; k < again.size(); ++k) {
    const LoopOperand& operand = program.operands[k];
    if (!again[k] || operand.kind != LoopOperand::Kind::memory || operand.indexed ||
        operand.vector_stride != 1)
      continue;
    stage.operands.push_back(static_cast<uint16_t>(k));
    stage.sizes.push_back(size_of(operand.type));
  }
  std::vector<bool> is_taken(stage.operands.size(), false);
  for (size_t v = 0; v < kept_in.size(); ++v) {
    const size_t needed_size = size_of(workspace_types[v]);
    size_t array = 0;
    // An element is read before its replacement is computed.
    while (array < is_taken.size() && (is_taken[array] || stage.sizes[array] != needed_size ||
                                       last_pass[stage.operands[array]] > kept_in[v]))
      ++array;
    if (array < is_taken.size())
      is_taken[array] = true;
    else
      array = stage.sizes.size(), stage.sizes.push_back(needed_size);
    stage.kept.push_back(array);
  }
  return stage;
}

/// Orientation outer processes many rows at a time, so per-row values are kept in memory:
/// reductions, and values computed from them for use with the elements.
void LoopPasses::keep_rows(const LoopProgram& program) {
  std::vector<bool> used_by_elements(program.code.size(), false);
  for (size_t i = 0; i < program.code.size(); ++i) {
    const bool reduction = program.code[i].kind == Kind::reduce;
    if (instructions[i].per_row && !reduction) continue;
    for (const uint16_t input : inputs_of(program.code[i])) used_by_elements[input] = true;
  }
  for (size_t i = 0; i < program.code.size(); ++i) {
    const LoopInstruction& instruction = program.code[i];
    const bool mapped = instruction.kind == Kind::map && instructions[i].per_row;
    if (instruction.kind == Kind::reduce || (mapped && used_by_elements[i]))
      keep(i, compute_type(instruction.type));
  }
}

void LoopPasses::keep(size_t instruction, DType type) {
  instructions[instruction].workspace = static_cast<int>(workspace_types.size());
  workspace_types.push_back(type);
}

size_t LoopPasses::workspace_bytes(int64_t row_length) const {
  const bool by_row = orientation == Orientation::row;
  const int64_t length = by_row ? padded_row(row_length) : column_block(row_length);
  size_t bytes = 0;
  for (const DType type : workspace_types) bytes += static_cast<size_t>(length) * size_of(type);
  if (!by_row)
    for (const DType type : reduction_types)
      bytes +=
          static_cast<size_t>((has_several_blocks(row_length) ? 2 : 1) * kReductionLanes * length) *
          size_of(type);
  return bytes;
}

}  // namespace tide
