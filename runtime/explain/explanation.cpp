#include "runtime/explain/explanation.h"

#include <algorithm>

#include "runtime/explain/reasons.h"
#include "runtime/plan/fates.h"
#include "runtime/plan/grouping.h"
#include "runtime/record/recorder.h"

namespace tide {
namespace {

/// Combines the planner's information about one window.
class WindowExplainer {
 public:
  WindowExplainer(const WindowView& view, ValueNumbers& numbers)
      : view_(view),
        grouping_(group_window(view, &refused_)),
        plan_(make_plan(view)),
        first_step_(grouping_.groups.size()) {
    decide_fates(view, grouping_, &kept_);
    for (const auto& node : view.externals) externals_.push_back(numbers.of(*node));
    for (const auto& node : view.nodes) nodes_.push_back(numbers.add(*node));
    for (size_t i = 0; i < plan_->temporary_bytes.size(); ++i)
      temporaries_.push_back(numbers.next());
  }

  void explain(ExplainedWindow& result) {
    for (const Step& step : plan_->steps) {
      if (step.kind == Step::Kind::nothing) continue;
      const uint16_t group = grouping_.group_of[step.node];
      if (!first_step_[group]) first_step_[group] = result.steps.size() + 1;
      result.steps.push_back(step_of(step, grouping_.groups[group]));
    }
    for (const Refused& refused : refused_) {
      const size_t step = first_step_[grouping_.group_of[refused.node]];
      const size_t other = first_step_[refused.group];
      if (!step || !other) continue;  // without elements
      const Node& node = *view_.nodes[refused.node];
      result.notes.push_back(
          {step - 1, other - 1, node.name, node.site, reason_text(view_, grouping_, refused)});
    }
  }

 private:
  ExplainedStep step_of(const Step& step, const Group& group) const {
    ExplainedStep result;
    for (const uint16_t member : step.members) add_op(step, member, result);
    result.domain = domain_of(step, group);
    result.work = step.work();
    if (step.batch)
      result.batch = std::count_if(plan_->steps.begin(), plan_->steps.end(),
                                   [&](const Step& other) { return other.batch == step.batch; });
    switch (step.kind) {
      case Step::Kind::loop:
        result.kind = ExplainedStep::Kind::loop;
        result.loop = step.loop;
        result.has_row = step.loop.program.has_row;
        result.partial = step.loop.program.partial;
        result.single_block = step.loop.program.single_block;
        break;
      case Step::Kind::compute:
        result.kind = ExplainedStep::Kind::compute;
        result.counts_flops = result.work.flops > 0;
        break;
      case Step::Kind::copy:
      case Step::Kind::nothing:
        result.kind = ExplainedStep::Kind::copy;
        result.unless_reused = step.unless_reused;
        break;
    }
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      if (step.is_read(i)) add_once(result.reads, value_of(step.buffers[i]));
      if (step.is_stored(i)) add_once(result.writes, value_of(step.buffers[i]));
    }
    return result;
  }

  void add_op(const Step& step, uint16_t i, ExplainedStep& result) const {
    const Node& node = *view_.nodes[i];
    if (node.kind == Node::Kind::part) return;
    result.ops.push_back({node.name, node.site, node.shape, node.type, step.makes(i)});
  }

  Shape domain_of(const Step& step, const Group& group) const {
    const Node& last = *view_.nodes[step.node];
    if (step.kind == Step::Kind::loop && step.loop.program.single_block) {
      Shape blocks;
      for (const int64_t extent : step.loop.extents)
        if (extent != 1) blocks.push_back(extent);
      return blocks;
    }
    if (group.kind == Group::Kind::region)
      return step.kind == Step::Kind::loop ? last.iota->shape : last.shape;
    if (group.kind == Group::Kind::row)
      for (const uint16_t i : group.members) {
        const Node& node = *view_.nodes[i];
        if (node.kind == Node::Kind::reduce) return walked_layout(node, node.arguments[0]).shape;
      }
    return view_.nodes[group.members[0]]->shape;
  }

  ExplainedValue value_of(const BufferUse& use) const {
    switch (use.source) {
      case BufferUse::Source::external: {
        const Node& node = *view_.externals[use.index];
        return {externals_[use.index], node.name, node.site, node.shape, node.type, {}};
      }
      case BufferUse::Source::node: {
        const Node& node = *view_.nodes[use.index];
        const bool temporary = plan_->fates[use.index] == Fate::temporary;
        return {nodes_[use.index],
                node.name,
                node.site,
                node.shape,
                node.type,
                temporary ? "another step reads it; released afterwards"
                          : reason_text(kept_[use.index])};
      }
      case BufferUse::Source::temporary:
      case BufferUse::Source::iota:
        break;
    }
    // The result of a block takes the space of the widest type.
    const size_t elements = plan_->temporary_bytes[use.index] / sizeof(uint64_t);
    return {
        temporaries_[use.index],          "blocks", {},
        {static_cast<int64_t>(elements)}, use.type, "the next step reads it; released afterwards"};
  }

  static void add_once(std::vector<ExplainedValue>& list, ExplainedValue value) {
    const auto same = [&](const ExplainedValue& other) { return other.number == value.number; };
    if (std::none_of(list.begin(), list.end(), same)) list.push_back(std::move(value));
  }

  const WindowView& view_;
  std::vector<Refused> refused_;
  const Grouping grouping_;
  const Ref<Plan> plan_;
  std::vector<Kept> kept_;
  std::vector<uint64_t> externals_, nodes_, temporaries_;  ///< numbers
  std::vector<size_t> first_step_;                         ///< of each group, from 1; 0: none
};

}  // namespace

uint64_t ValueNumbers::of(const Node& node) {
  const bool constant = node.kind == Node::Kind::constant;
  const auto found = known_.find(&node);
  if (found != known_.end()) {
    const Known& known = found->second;
    if (known.constant == constant && (!constant || known.ticket == node.ticket))
      return known.number;
  }
  return add(node);
}

uint64_t ValueNumbers::add(const Node& node) {
  const uint64_t number = next();
  known_.insert_or_assign(&node, Known{number, node.kind == Node::Kind::constant, node.ticket});
  return number;
}

ExplainedWindow explain(const Window& window, ValueNumbers& numbers) {
  ExplainedWindow result;
  result.device = window.device().device;
  result.site = current_call_site();
  result.ops = window.nodes().size();
  const WindowView view{window.nodes(), window.externals(), window.offsets(),
                        window.epoch(), window.batches(),   window.finishing_loops()};
  WindowExplainer(view, numbers).explain(result);
  return result;
}

ExplainedWindow explain_copy(const Node& source, const Node& copy, ValueNumbers& numbers) {
  ExplainedWindow result;
  result.device = copy.device->device;
  result.site = current_call_site();
  ExplainedStep step;
  step.kind = ExplainedStep::Kind::copy;
  step.ops.push_back({copy.name, result.site, copy.shape, copy.type, true});
  step.domain = copy.shape;
  step.reads.push_back(
      {numbers.of(source), source.name, source.site, source.shape, source.type, {}});
  step.writes.push_back({numbers.add(copy), copy.name, result.site, copy.shape, copy.type, {}});
  step.work = work_of_copy(copy.bytes());
  result.steps.push_back(std::move(step));
  return result;
}

std::optional<ExplainedWindow> explain_recorded(Device device) {
  const Window& window = Recorder::of_thread().window(DeviceState::of(device));
  if (window.size() == 0) return std::nullopt;
  ValueNumbers numbers;
  return explain(window, numbers);
}

}  // namespace tide
