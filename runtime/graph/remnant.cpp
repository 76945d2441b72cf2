// Cutting a loop program down.
#include "runtime/graph/remnant.h"

#include <algorithm>

#include "runtime/codegen/kernel.h"

namespace tide {
namespace {

using Kind = LoopInstruction::Kind;

int value_count(const LoopInstruction& instruction) {
  switch (instruction.kind) {
    case Kind::map:
      return instruction.arity;
    case Kind::reduce:
    case Kind::store:
      return 1;
    case Kind::load:
    case Kind::parameter:
      return 0;
  }
  return 0;
}

}  // namespace

Left Remnant::of_output(const Step& step, uint16_t node) const {
  for (size_t i = 0; i < left.size(); ++i) {
    const BufferUse& use = step.buffers[i];
    if (use.source == BufferUse::Source::node && use.index == node && step.is_stored(i))
      return left[i];
  }
  return Left::nothing;
}

Remnant remnant_of(const Step& step, const std::vector<bool>& lost) {
  Remnant remnant{step.loop, std::vector<Left>(step.buffers.size(), Left::nothing)};
  auto& code = remnant.loop.program.code;
  // Stores come last, so that leaving some out moves no value.
  std::vector<bool> spoilt(code.size());
  const auto is_left_out = [&](LoopInstruction& instruction) {
    const auto place = static_cast<size_t>(&instruction - code.data());
    const int count = value_count(instruction);
    spoilt[place] = (instruction.kind == Kind::load && lost[instruction.operand]) ||
                    std::any_of(instruction.a, instruction.a + count,
                                [&](uint16_t value) { return spoilt[value]; });
    if (instruction.kind != Kind::store) return false;
    Left& left = remnant.left[instruction.operand];
    if (!spoilt[place]) {
      left = Left::whole;
      return false;
    }
    const auto older =
        std::find_if(step.older.begin(), step.older.end(), [&](const Step::Older& value) {
          return step.buffers[instruction.operand].source == BufferUse::Source::node &&
                 step.buffers[instruction.operand].index == value.output &&
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
  // A loop that reduces in blocks is nothing without them.
  for (size_t i = 0; i < step.buffers.size(); ++i)
    if (step.buffers[i].source == BufferUse::Source::temporary && step.is_stored(i) &&
        remnant.left[i] == Left::nothing)
      return {};
  remnant.loop.kernel = &Kernel::find(remnant.loop.program);
  return remnant;
}

}  // namespace tide
