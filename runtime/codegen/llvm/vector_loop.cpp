#include "runtime/codegen/llvm/vector_loop.h"

#include <algorithm>

namespace tide::ir {
namespace {

using Kind = LoopInstruction::Kind;

bool is_broadcast(const LoopOperand& operand) {
  return operand.kind == LoopOperand::Kind::memory && operand.vector_stride == 0;
}

/// A value that is the same for all elements: as a scalar, and in each lane of a register.
struct Uniform {
  llvm::Value *scalar = nullptr, *lanes = nullptr;
};

/// Values that are uniform over the elements, computed before the loop.
std::vector<Uniform> uniform_values(Frame& frame, const VectorLoop& loop, const Lanes& lanes) {
  const auto& program = frame.program;
  std::vector<Uniform> uniform(program.code.size());
  const Lanes single = scalar_lanes(frame);
  Body ahead(frame, single, loop.positions, frame.code.number(0));
  for (size_t i = 0; i < uniform.size(); ++i) {
    const LoopInstruction& instruction = program.code[i];
    if (!loop.needed[i]) continue;
    llvm::Value* scalar = loop.scalars.empty() ? nullptr : loop.scalars[i];
    if (scalar) ahead.set(i, Value::broadcast(single, frame.type_of(i), scalar));
    const bool is_computed =
        instruction.kind == Kind::map ||
        (instruction.kind == Kind::load && is_broadcast(program.operands[instruction.operand]));
    const auto inputs = inputs_of(instruction);
    const bool may_be_computed =
        instruction.kind == Kind::parameter ||
        (lanes.width > 1 && is_computed && std::ranges::all_of(inputs, [&](uint16_t input) {
           return uniform[input].scalar != nullptr;
         }));
    if (!scalar && may_be_computed) {
      std::vector<bool> only(program.code.size(), false);
      only[i] = true;
      ahead.compute(only);
      scalar = ahead.value(i)[0];
    }
    if (scalar) uniform[i] = {scalar, lanes.splat(scalar)};
  }
  return uniform;
}

void run_body(Frame& frame, const VectorLoop& loop, const std::vector<Uniform>& uniform,
              Body& body) {
  for (size_t i = 0; i < uniform.size(); ++i) {
    if (!uniform[i].scalar) continue;
    Registers registers{};
    registers.fill(uniform[i].lanes);
    body.set_uniform(i, Value(body.lanes(), frame.type_of(i), registers), uniform[i].scalar);
  }
  loop.body(body);
}

}  // namespace

void emit(Frame& frame, const VectorLoop& loop) {
  auto& code = frame.code;
  auto& builder = code.builder;
  const Lanes full{&builder, &frame.machine, frame.width, frame.registers};
  const Lanes single{&builder, &frame.machine, frame.width, 1};
  code.when(builder.CreateICmpSLT(loop.begin, loop.end), [&] {
    const auto uniform = uniform_values(frame, loop, full);
    llvm::Value* length = builder.CreateSub(loop.end, loop.begin);
    llvm::Value* full_length = builder.CreateAnd(length, code.number(-full.elements()));
    llvm::Value* middle = builder.CreateAdd(loop.begin, full_length);
    code.loop(loop.begin, middle, full.elements(), [&](llvm::Value* index) {
      Body body(frame, full, loop.positions, index);
      run_body(frame, loop, uniform, body);
    });
    if (loop.before_tail) loop.before_tail();
    if (full.elements() == 1) return;
    code.loop(middle, loop.end, single.width, [&](llvm::Value* index) {
      llvm::Value* count =
          code.smaller(builder.CreateSub(loop.end, index), code.number(single.width));
      Body body(frame, single, loop.positions, index, count);
      run_body(frame, loop, uniform, body);
    });
  });
}

}  // namespace tide::ir
