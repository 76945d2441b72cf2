#include "runtime/codegen/llvm/kernels.h"
#include "runtime/codegen/llvm/vector_loop.h"

namespace tide::ir {
namespace {

/// Elements of a range from which arrays are taken to exceed the caches of a thread.
constexpr int64_t kLong = 1 << 17;

}  // namespace

void emit_map_kernel(Frame& frame) {
  const auto stores = frame.instructions([](const LoopInstruction& instruction, size_t) {
    return instruction.kind == LoopInstruction::Kind::store;
  });
  const std::vector<bool> known(frame.program.code.size(), false);
  const auto needed = frame.needed_for(stores, known);
  auto& builder = frame.code.builder;
  // Prefetching data that is already in cache would cost more than it gains.
  llvm::Value* is_long = builder.CreateICmpSGE(
      builder.CreateSub(frame.vector_end, frame.vector_begin), frame.code.number(kLong));
  frame.for_each_outer([&](const Positions& positions) {
    emit(frame, {.begin = frame.vector_begin,
                 .end = frame.vector_end,
                 .positions = positions,
                 .needed = needed,
                 .scalars = {},
                 .body = [&](Body& body) {
                   if (!frame.machine.gpu && !body.is_tail())
                     frame.code.when(is_long, [&] {
                       for (const size_t operand : frame.streams())
                         body.prefetch(operand, frame.code.number(kStreamAhead), {0, 1, 1});
                     });
                   body.compute(needed);
                   // All loads come first, because an output may use the memory of an input.
                   for (const size_t store : stores) body.store(store);
                 }});
  });
}

}  // namespace tide::ir
