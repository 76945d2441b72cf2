#include "runtime/explain/loop_source.h"

#include <span>

#include "runtime/codegen/plugin.h"
#include "runtime/codegen/ptx.h"
#include "runtime/ir/elementwise_ops.h"
#include "runtime/record/device_state.h"

namespace tide {
namespace {

const char* name_of_reduction(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return "sum";
    case Reduction::prod:
      return "prod";
    case Reduction::max:
      return "max";
    case Reduction::min:
      return "min";
  }
  return "";
}

std::string list_text(std::span<const int64_t> numbers) {
  std::string text;
  for (const int64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "(" + text + ")";
}

std::string value_text(size_t i) { return "%" + std::to_string(i); }

std::string domain_text(const LoopStep& loop) {
  const LoopProgram& program = loop.program;
  const std::span<const int64_t> extents(loop.extents);
  std::string text = "for " + list_text(extents.first(program.outer_rank));
  if (program.has_row) text += ", row " + std::to_string(extents[program.outer_rank]);
  if (program.row_rank > 0) text += " " + list_text(extents.last(program.row_rank));
  if (program.partial) text += " in blocks of " + std::to_string(kReductionBlock);
  if (program.single_block) text += " as one block";
  text += program.orientation == Orientation::row ? "; vectors along the row"
                                                  : "; vectors along the last dimension";
  return text + "\n";
}

std::string operand_text(const LoopStep& loop, size_t k) {
  const LoopProgram& program = loop.program;
  const LoopOperand& operand = program.operands[k];
  const size_t dims = program.dimensions(), used = program.outer_rank + (program.has_row ? 1u : 0u);
  std::string text = "a" + std::to_string(k) + ": " + std::string(name_of(operand.type));
  if (operand.kind == LoopOperand::Kind::iota) text += " iota";
  const auto strides = std::span(loop.strides).subspan(k * dims, dims);
  text += ", strides " + list_text(strides.first(operand.nested ? program.outer_rank : used));
  if (operand.nested) text += ", in the row " + list_text(strides.last(program.row_rank));
  if (operand.indexed)
    text += ", read at computed positions";
  else if (operand.per_row)
    text += ", one per row";
  if (operand.streaming) text += ", past the caches";
  return text + "\n";
}

std::string inputs_text(const LoopInstruction& instruction) {
  std::string text;
  for (int j = 0; j < instruction.arity; ++j)
    text += (j ? ", " : "") + value_text(instruction.a[j]);
  return text;
}

std::string instruction_text(const LoopInstruction& instruction) {
  using Kind = LoopInstruction::Kind;
  const std::string operand = std::to_string(instruction.operand);
  switch (instruction.kind) {
    case Kind::load:
      if (instruction.arity == 0) return "load a" + operand;
      return "load a" + operand + " at " + inputs_text(instruction);
    case Kind::parameter:
      return "number n" + operand;
    case Kind::map:
      return std::string(name_of(static_cast<ElementwiseOp>(instruction.op))) + " " +
             inputs_text(instruction);
    case Kind::reduce:
      return std::string("reduce ") + name_of_reduction(instruction.reduction) + " " +
             value_text(instruction.a[0]);
    case Kind::store:
      return "store a" + operand + ", " + value_text(instruction.a[0]);
  }
  return {};
}

}  // namespace

std::string program_text(const LoopStep& loop) {
  std::string text = domain_text(loop);
  for (size_t k = 0; k < loop.program.operands.size(); ++k) text += operand_text(loop, k);
  for (size_t i = 0; i < loop.program.code.size(); ++i) {
    const LoopInstruction& instruction = loop.program.code[i];
    text += "  ";
    if (instruction.kind != LoopInstruction::Kind::store)
      text += value_text(i) + ": " + std::string(name_of(instruction.type)) + " = ";
    text += instruction_text(instruction) + "\n";
  }
  return text;
}

std::string llvm_ir(const LoopStep& loop) { return generate(loop.program, GeneratedForm::ir); }

std::string assembly(const LoopStep& loop) {
  return generate(loop.program, GeneratedForm::assembly);
}

std::string ptx(const LoopStep& loop, int capability) {
  return generate_ptx(loop.program, ptx_architecture(capability), {});
}

std::optional<profile::KernelLaunch> launch_of(const LoopStep& loop, Device device) {
  return platform(device.kind).launch_of(*DeviceState::of(device).backend, loop);
}

}  // namespace tide
