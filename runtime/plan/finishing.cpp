#include "runtime/plan/finishing.h"

#include <algorithm>
#include <cstddef>

#include "runtime/ir/kernel.h"

namespace tide {
namespace {

bool is_node(const BufferUse& use, uint16_t node) {
  return use.source == BufferUse::Source::node && use.index == node;
}

bool reads(const Step& step, uint16_t node) {
  for (size_t i = 0; i < step.buffers.size(); ++i)
    if (step.is_read(i) && is_node(step.buffers[i], node)) return true;
  return std::ranges::any_of(step.fallbacks,
                             [&](const auto& fallback) { return is_node(fallback.old, node); });
}

/// Whether the step may reuse memory that the compute op reads.
bool may_reuse_input(const Step::Reuse& reuse, const Step& op) {
  return std::any_of(op.buffers.begin(), op.buffers.begin() + op.inputs, [&](const auto& input) {
    return input.source == reuse.value.source && input.index == reuse.value.index;
  });
}

/// Whether the step may run before the compute op that it follows and does not read.
bool may_precede(const Step& step, const Step& op) {
  return step.kind != Step::Kind::copy && !step.writes() &&
         std::ranges::none_of(step.reuses,
                              [&](const auto& reuse) { return may_reuse_input(reuse, op); });
}

/// Whether operand k of a loop without rows is a dense array, walked in order.
bool is_walked_in_order(const LoopStep& loop, size_t k) {
  const size_t rank = loop.program.outer_rank;
  int64_t expected = 1;
  for (size_t d = rank; d-- > 0;) {
    if (loop.extents[d] != 1 && loop.strides[k * rank + d] != expected) return false;
    expected *= loop.extents[d];
  }
  return true;
}

int64_t domain_of(const LoopStep& loop) {
  int64_t count = 1;
  for (size_t d = 0; d < loop.program.outer_rank; ++d) count *= loop.extents[d];
  return count;
}

/// Whether the loop can run on each part of the result, which is the window's node `result`.
bool can_finish(const WindowView& window, const Step& loop, uint16_t result) {
  if (loop.kind != Step::Kind::loop || loop.writes() || loop.batch) return false;
  if (loop.loop.program.has_row || domain_of(loop.loop) != window.nodes[result]->shape.numel())
    return false;
  for (size_t k = 0; k < loop.buffers.size(); ++k) {
    const bool is_result = loop.is_read(k) && is_node(loop.buffers[k], result);
    if (is_result && (loop.loop.program.operands[k].indexed || !is_walked_in_order(loop.loop, k)))
      return false;
  }
  return true;
}

/// Lets an output of the loop take over the memory of the result, unless a later step reads that.
/// Memory that the op still reads for other parts is not reused.
void choose_memory(const WindowView& window, Plan& plan, size_t at, uint16_t result) {
  Step& loop = plan.steps[at];
  const Step& op = plan.steps[at - 1];
  std::erase_if(loop.reuses, [&](const auto& reuse) { return may_reuse_input(reuse, op); });
  for (size_t s = at + 1; s < plan.steps.size(); ++s)
    if (reads(plan.steps[s], result)) return;
  const Node& old = *window.nodes[result];
  for (const uint16_t output : loop.outputs) {
    const Node& node = *window.nodes[output];
    const size_t k = loop.buffer_of(output);
    if (k == loop.buffers.size() || node.type != old.type ||
        node.shape.numel() != old.shape.numel() || !is_walked_in_order(loop.loop, k))
      continue;
    const BufferUse use{BufferUse::Source::node, result, BufferUse::kNone, old.type};
    loop.reuses.insert(loop.reuses.begin(), {output, use});
    return;
  }
}

/// Parts are in cache when the loop reads them, and may begin anywhere.
void do_not_stream(LoopStep& loop) {
  bool streams = false;
  for (LoopOperand& operand : loop.program.operands) {
    streams |= operand.streaming;
    operand.streaming = false;
  }
  if (streams) loop.kernel = &Kernel::find(loop.program);
}

}  // namespace

void find_finishing_loops(const WindowView& window, Plan& plan) {
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
    if (step.finished_by_next || step.kind != Step::Kind::compute ||
        step.compute.op != ComputeOp::conv2d || step.compute.outputs[0].type != DType::f32)
      continue;
    const uint16_t result = step.outputs[0];
    const auto first = plan.steps.begin() + static_cast<ptrdiff_t>(s) + 1;
    const auto reader = std::find_if(first, plan.steps.end(),
                                     [&](const Step& other) { return reads(other, result); });
    if (reader == plan.steps.end() || (reader - 1)->finished_by_next ||
        !can_finish(window, *reader, result) ||
        !std::all_of(first, reader, [&](const Step& other) { return may_precede(other, step); }))
      continue;
    const bool stays = first == reader;
    std::rotate(first - 1, first, reader);
    const auto at = static_cast<size_t>(reader - plan.steps.begin());
    plan.steps[at - 1].finished_by_next = true;
    do_not_stream(plan.steps[at].loop);
    choose_memory(window, plan, at, result);
    if (!stays) --s;  // another step took its place
  }
}

}  // namespace tide
