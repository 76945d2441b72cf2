#include "runtime/codegen/llvm/body.h"
#include "runtime/codegen/llvm/kernels.h"

namespace tide::ir {

void emit_map_kernel(Frame& frame) {
  const auto stores = frame.instructions([](const LoopInstruction& instruction, size_t) {
    return instruction.kind == LoopInstruction::Kind::store;
  });
  const std::vector<bool> known(frame.program.code.size(), false);
  const auto needed = frame.needed_for(stores, known);
  frame.for_each_outer([&](const Places& places) {
    emit(frame, {.begin = frame.vector_begin,
                 .end = frame.vector_end,
                 .places = places,
                 .needed = needed,
                 .scalars = {},
                 .body = [&](Body& body) {
                   body.compute(needed);
                   // All loads come first: an output may be the memory of an input.
                   for (const size_t store : stores) body.store(store);
                 }});
  });
}

}  // namespace tide::ir
