// Reduces loop programs.
#include "runtime/execute/failure/salvage_program.h"

#include <algorithm>

#include "runtime/ir/kernel.h"

namespace tide {
namespace {

using Kind = LoopInstruction::Kind;

int value_count(const LoopInstruction& instruction) {
  switch (instruction.kind) {
    case Kind::load:
    case Kind::map:
      return instruction.arity;
    case Kind::reduce:
    case Kind::store:
      return 1;
    case Kind::parameter:
      return 0;
  }
  return 0;
}

/// Per instruction: whether it depends on a load of a lost buffer.
std::vector<bool> spoilt_values(const std::vector<LoopInstruction>& code,
                                const std::vector<bool>& lost) {
  std::vector<bool> spoilt(code.size());
  for (size_t place = 0; place < code.size(); ++place) {
    const LoopInstruction& instruction = code[place];
    spoilt[place] = (instruction.kind == Kind::load && lost[instruction.operand]) ||
                    std::any_of(instruction.a, instruction.a + value_count(instruction),
                                [&](uint16_t value) { return spoilt[value]; });
  }
  return spoilt;
}

}  // namespace

std::vector<bool> dependent_stores(const Step& step, const std::vector<bool>& sources) {
  std::vector<bool> dependent(step.buffers.size());
  if (std::find(sources.begin(), sources.end(), true) == sources.end()) return dependent;
  if (step.kind != Step::Kind::loop) {
    std::fill(dependent.begin() + step.inputs, dependent.end(), true);
    return dependent;
  }
  const auto& code = step.loop.program.code;
  const std::vector<bool> spoilt = spoilt_values(code, sources);
  for (size_t place = 0; place < code.size(); ++place)
    if (code[place].kind == Kind::store && spoilt[place]) dependent[code[place].operand] = true;
  return dependent;
}

SalvageProgram salvage_program_of(const Step& step, const std::vector<bool>& lost,
                                  const std::function<bool(uint32_t node)>& is_wanted) {
  SalvageProgram partial{step.loop, std::vector<Left>(step.buffers.size(), Left::nothing)};
  auto& code = partial.loop.program.code;
  // Stores come last, so that omitting some does not renumber values.
  const std::vector<bool> spoilt = spoilt_values(code, lost);
  const auto is_left_out = [&](LoopInstruction& instruction) {
    const auto place = static_cast<size_t>(&instruction - code.data());
    if (instruction.kind != Kind::store) return false;
    const BufferUse& use = step.buffers[instruction.operand];
    if (use.source == BufferUse::Source::node && !is_wanted(use.index)) return true;
    Left& left = partial.left[instruction.operand];
    if (!spoilt[place]) {
      left = Left::whole;
      return false;
    }
    const auto older =
        std::find_if(step.older.begin(), step.older.end(), [&](const Step::Older& value) {
          return use.source == BufferUse::Source::node && use.index == value.output &&
                 !spoilt[value.instruction];
        });
    if (older == step.older.end()) return true;
    instruction.a[0] = older->instruction;
    left = Left::older;
    return false;
  };
  std::vector<LoopInstruction> kept;
  for (LoopInstruction& instruction : code)
    if (!is_left_out(instruction)) kept.push_back(instruction);
  code = std::move(kept);
  // A loop that reduces in blocks is useless without them.
  for (size_t i = 0; i < step.buffers.size(); ++i)
    if (step.buffers[i].source == BufferUse::Source::temporary && step.is_stored(i) &&
        partial.left[i] == Left::nothing)
      return {};
  partial.loop.kernel = &Kernel::find(partial.loop.program);
  return partial;
}

}  // namespace tide
