// Lowering of groups to steps.
#include "runtime/plan/lowering.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "runtime/plan/batching.h"
#include "runtime/plan/fates.h"
#include "runtime/plan/finishing.h"
#include "runtime/plan/loop_writer.h"

namespace tide {

ArgumentPlaces::ArgumentPlaces(const WindowView& window) {
  uint32_t numbers = 0, offsets = 0;
  for (const auto& node : window.nodes) {
    auto& places = places_.emplace_back();
    if (node->compute) {
      for (size_t j = 0; j < node->compute->inputs.size(); ++j) places.push_back(offsets++);
    } else {
      for (int j = 0; j < node->arity; ++j)
        places.push_back(node->arguments[j].node ? offsets++ : numbers++);
    }
    iotas_.push_back(node->iota ? offsets++ : BufferUse::kNone);
  }
}

BufferUse use_of(const WindowView& window, const Argument& argument, uint32_t offset) {
  const bool inside = window.inside(*argument.node);
  return {inside ? BufferUse::Source::node : BufferUse::Source::external, argument.node->index,
          offset, argument.node->type};
}

namespace {

bool reads(const Node& node, const Node* value) {
  for (int j = 0; j < node.arity; ++j)
    if (node.arguments[j].node.get() == value) return true;
  if (node.compute)
    for (const Argument& argument : node.compute->inputs)
      if (argument.node.get() == value) return true;
  return false;
}

}  // namespace

bool is_read_after(const WindowView& window, const Grouping& grouping, size_t group,
                   const Node* value) {
  for (size_t k = 0; k < window.nodes.size(); ++k)
    if (grouping.last_group[k] > group && reads(*window.nodes[k], value)) return true;
  return false;
}

namespace {

void lower_compute(const WindowView& window, const ArgumentPlaces& places, const Group& group,
                   Plan& plan) {
  const uint16_t i = group.members[0];
  const Node& n = *window.nodes[i];
  Step step;
  step.kind = Step::Kind::compute;
  step.node = i;
  step.compute.op = n.compute->op;
  step.compute.attributes = n.compute->attributes;
  for (size_t j = 0; j < n.compute->inputs.size(); ++j) {
    const Argument& argument = n.compute->inputs[j];
    ArrayView view{nullptr, argument.node->type, walked_layout(n, argument)};
    view.layout.offset = 0;
    step.compute.inputs.push_back(view);
    step.buffers.push_back(use_of(window, argument, places.of(i, static_cast<int>(j))));
  }
  step.inputs = static_cast<uint16_t>(step.buffers.size());
  for (uint16_t member : group.members) {
    const Node& output = *window.nodes[member];
    step.compute.outputs.push_back({nullptr, output.type, Layout(output.shape)});
    step.buffers.push_back({BufferUse::Source::node, member, BufferUse::kNone, output.type});
    step.outputs.push_back(member);
  }
  plan.steps.push_back(std::move(step));
}

/// The copy of the old value of a write, which is skipped if the write can run in place.
void lower_copy_of_old(const WindowView& window, const Grouping& grouping, uint16_t i,
                       const Step::Fallback& fallback, Plan& plan) {
  const Node& n = *window.nodes[i];
  Step copy;
  copy.kind = Step::Kind::copy;
  copy.node = i;
  copy.buffers = {fallback.old, {BufferUse::Source::node, i, BufferUse::kNone, n.type}};
  copy.inputs = 1;
  copy.outputs = {i};
  copy.fallbacks = {fallback};
  copy.bytes = n.bytes();
  copy.unless_reused = true;
  const Node* old = n.arguments[1].node.get();
  if (n.arguments[0].node.get() != old &&
      !is_read_after(window, grouping, grouping.group_of[i], old))
    copy.reuses = {{i, fallback.old}};
  plan.steps.push_back(std::move(copy));
}

}  // namespace

void lower_group(const WindowView& window, const Grouping& grouping, const ArgumentPlaces& places,
                 const Group& group, Plan& plan) {
  const uint16_t i = group.members[0];
  switch (group.kind) {
    case Group::Kind::nothing: {
      Step step;
      step.kind = Step::Kind::nothing;
      step.node = i;
      step.outputs = group.members;
      plan.steps.push_back(std::move(step));
      return;
    }
    case Group::Kind::compute:
      return lower_compute(window, places, group, plan);
    case Group::Kind::region: {
      const Node& n = *window.nodes[i];
      const Step::Fallback fallback{i, use_of(window, n.arguments[1], BufferUse::kNone), n.bytes(),
                                    n.fills};
      lower_copy_of_old(window, grouping, i, fallback, plan);
      if (n.iota->shape.numel() == 0) return;
      LoopWriter writer(window, grouping, places, group, plan);
      writer.write_region();
      return;
    }
    case Group::Kind::map:
    case Group::Kind::row: {
      LoopWriter writer(window, grouping, places, group, plan);
      writer.write();
      return;
    }
  }
}

namespace {

/// Whether a step runs at least one kernel and may run nothing else.
bool may_be_kernels(const Step& step) {
  if (step.kind == Step::Kind::loop) return true;
  return step.kind == Step::Kind::compute && !cuts_window(step.compute.op);
}

PlanInfo info_of(const Plan& plan) {
  static std::atomic<uint64_t> last{0};
  PlanInfo info{.number = ++last};
  size_t row = 0;
  uint16_t batch = 0;
  for (const Step& step : plan.steps) {
    if (step.kind == Step::Kind::nothing) continue;
    const bool is_counted = step.batch && step.batch == batch;
    batch = step.batch;
    if (is_counted) continue;
    row = may_be_kernels(step) ? row + 1 : 0;
    info.kernels_in_a_row = std::max(info.kernels_in_a_row, row);
  }
  return info;
}

}  // namespace

Ref<Plan> make_plan(const WindowView& window) {
  Ref<Plan> plan = new Plan;
  const Grouping grouping = group_window(window);
  const ArgumentPlaces places(window);
  plan->fates = decide_fates(window, grouping);
  for (const Group& group : grouping.groups) {
    const size_t first = plan->steps.size();
    lower_group(window, grouping, places, group, *plan);
    for (size_t s = first; s < plan->steps.size(); ++s)
      if (plan->steps[s].members.empty()) plan->steps[s].members = group.members;
  }
  if (window.batches) batch_steps(window, *plan);
  if (window.finishing_loops) find_finishing_loops(window, *plan);
  // Temporary results are released after the last step that reads them, or falls back to them; in a
  // batch after its last step, because none may write what another one reads. The same holds for a
  // compute op and the loop on parts of its result.
  std::map<uint16_t, size_t> last_use, end_of_batch;
  for (size_t s = 0; s < plan->steps.size(); ++s) end_of_batch[plan->steps[s].batch] = s;
  for (size_t s = 0; s < plan->steps.size(); ++s) {
    const uint16_t batch = plan->steps[s].batch;
    const size_t end = batch ? end_of_batch[batch] : s + plan->steps[s].finished_by_next;
    const auto note = [&](const BufferUse& use) {
      if (use.source != BufferUse::Source::node) return;
      size_t& last = last_use[static_cast<uint16_t>(use.index)];
      last = std::max(last, end);
    };
    for (const BufferUse& use : plan->steps[s].buffers) note(use);
    for (const Step::Fallback& fallback : plan->steps[s].fallbacks) note(fallback.old);
  }
  for (const auto& [node, step] : last_use)
    if (plan->fates[node] == Fate::temporary) plan->steps[step].releases.push_back(node);
  plan->info = info_of(*plan);
  return plan;
}

bool Step::is_stored(size_t i) const {
  if (kind != Kind::loop) return i >= inputs;
  for (const LoopInstruction& instruction : loop.program.code)
    if (instruction.kind == LoopInstruction::Kind::store && instruction.operand == i) return true;
  return false;
}

size_t Step::buffer_of(uint16_t node) const {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].source == BufferUse::Source::node && buffers[i].index == node && is_stored(i))
      return i;
  return buffers.size();
}

StepWork Step::work() const {
  switch (kind) {
    case Kind::loop:
      return work_of(loop);
    case Kind::compute:
      return work_of(compute);
    case Kind::copy:
      return work_of_copy(bytes);
    case Kind::nothing:
      break;
  }
  return {};
}

}  // namespace tide
