// Notes recorded ops, and records them again.
#include "runtime/record/replay.h"

#include <algorithm>
#include <utility>

#include "runtime/record/new_node.h"
#include "runtime/record/recorder.h"

namespace tide {
namespace {

/// Calls visit(argument) for the arguments of a node, then for the inputs of its compute op.
template <class AnyNode, class Visit>
void for_arguments(AnyNode& node, const Visit& visit) {
  for (int j = 0; j < node.arity; ++j) visit(node.arguments[j]);
  if (!node.compute) return;
  for (auto& input : node.compute->inputs) visit(input);
}

}  // namespace

bool Replay::fits(std::span<const Ref<Node>> inputs) const {
  if (inputs.size() != inputs_.size()) return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Input& recorded = inputs_[i];
    const Node& node = *inputs[i];
    if (node.type != recorded.type || node.device != recorded.device ||
        !(node.shape == recorded.shape))
      return false;
    if (recorded.same_as != i && inputs[recorded.same_as].get() != &node) return false;
  }
  return true;
}

bool Replay::find_derived(std::span<const Ref<Node>> inputs, std::vector<Ref<Node>>& found) const {
  for (const Derived& wanted : derived_) {
    const auto& known = inputs[wanted.input]->derived;
    if (!known) return false;
    const auto is_wanted = [&](const DerivedValue& value) { return value.key == wanted.key; };
    const auto value = std::ranges::find_if(*known, is_wanted);
    if (value == known->end() || value->value->state == Node::State::failed) return false;
    found.push_back(value->value);
  }
  return true;
}

std::optional<std::vector<Ref<Node>>> Replay::run(std::span<const Ref<Node>> inputs) const {
  std::vector<Ref<Node>> derived, results(steps_.size());
  if (!fits(inputs) || !find_derived(inputs, derived)) return std::nullopt;
  Recorder& recorder = Recorder::of_thread();
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    Ref<Node> node = new_node_like(*step.pattern);
    const Source* source = step.sources.data();
    for_arguments(*node, [&](Argument& argument) {
      const uint32_t index = source->index;
      switch ((source++)->kind) {
        case Source::Kind::scalar:
          return;
        case Source::Kind::input:
          return void(argument.node = inputs[index]);
        case Source::Kind::derived:
          return void(argument.node = derived[index]);
        case Source::Kind::step:
          return void(argument.node = results[index]);
        case Source::Kind::constant:
          return void(argument.node = constants_[index]);
      }
    });
    results[i] = node;
    // A result that only later ops refer to need not be stored.
    for (const uint32_t done : step.done) results[done] = {};
    recorder.window(*node->device).record(node, step.cuts_window);
  }
  std::vector<Ref<Node>> outputs;
  for (const uint32_t output : outputs_) outputs.push_back(results[output]);
  return outputs;
}

ReplayRecording::ReplayRecording(std::span<const Ref<Node>> inputs)
    : input_nodes_(inputs.begin(), inputs.end()) {
  for (const Ref<Node>& node : inputs) {
    const auto index = static_cast<uint32_t>(replay_.inputs_.size());
    const auto [known, is_new] = inputs_.try_emplace(node.get(), index);
    replay_.inputs_.push_back({node->shape, node->type, node->device, known->second});
  }
  if (current)
    is_spoiled_ = true;
  else
    current = this;
}

ReplayRecording::~ReplayRecording() {
  if (current == this) current = nullptr;
}

Replay::Source ReplayRecording::source_of(const Argument& argument) {
  using Kind = Replay::Source::Kind;
  if (!argument.node) return {};
  const Node* const node = argument.node.get();
  if (const auto found = inputs_.find(node); found != inputs_.end())
    return {Kind::input, found->second};
  if (const auto found = steps_.find(node); found != steps_.end())
    return {Kind::step, found->second};
  const auto index = static_cast<uint32_t>(replay_.constants_.size());
  const auto [known, is_new] = constants_.try_emplace(node, index);
  if (is_new) replay_.constants_.push_back(argument.node);
  return {Kind::constant, known->second};
}

void ReplayRecording::note_recorded(const Node& node, bool cuts_window) {
  if (is_paused_ || is_spoiled_) return;
  Replay::Step step;
  bool depends = false;
  for_arguments(node, [&](const Argument& argument) {
    const Replay::Source source = source_of(argument);
    depends |= source.kind == Replay::Source::Kind::input ||
               (source.kind == Replay::Source::Kind::step && depends_[source.index]);
    step.sources.push_back(source);
  });
  // A write to a value from outside changes what others see.
  if (node.replaces() && step.sources[1].kind != Replay::Source::Kind::step) return spoil();
  step.pattern = new_node_like(node);
  step.cuts_window = cuts_window;
  steps_[&node] = static_cast<uint32_t>(replay_.steps_.size());
  replay_.steps_.push_back(std::move(step));
  depends_.push_back(depends);
}

void ReplayRecording::note_read(const Node& node) {
  if (is_paused_) return;
  const auto step = steps_.find(&node);
  if (inputs_.contains(&node) || (step != steps_.end() && depends_[step->second])) spoil();
}

/// Replaces the constants that are derived from an input.
void ReplayRecording::find_derived() {
  using Kind = Replay::Source::Kind;
  std::vector<Replay::Source> sources(replay_.constants_.size());
  std::vector<Ref<Node>> others;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Node* const constant = replay_.constants_[i].get();
    for (size_t input = 0; input < input_nodes_.size() && sources[i].kind != Kind::derived; ++input)
      if (const auto& known = input_nodes_[input]->derived)
        for (const DerivedValue& value : *known)
          if (value.value.get() == constant) {
            sources[i] = {Kind::derived, static_cast<uint32_t>(replay_.derived_.size())};
            replay_.derived_.push_back({static_cast<uint32_t>(input), value.key});
            break;
          }
    if (sources[i].kind == Kind::derived) continue;
    sources[i] = {Kind::constant, static_cast<uint32_t>(others.size())};
    others.push_back(replay_.constants_[i]);
  }
  replay_.constants_ = std::move(others);
  for (Replay::Step& step : replay_.steps_)
    for (Replay::Source& source : step.sources)
      if (source.kind == Kind::constant) source = sources[source.index];
}

void ReplayRecording::find_last_uses() {
  auto& steps = replay_.steps_;
  std::vector<bool> is_needed(steps.size());
  for (const uint32_t output : replay_.outputs_) is_needed[output] = true;
  for (uint32_t i = static_cast<uint32_t>(steps.size()); i-- > 0;) {
    const auto note = [&](uint32_t step) {
      if (!is_needed[step]) steps[i].done.push_back(step);
      is_needed[step] = true;
    };
    note(i);
    for (const Replay::Source& source : steps[i].sources)
      if (source.kind == Replay::Source::Kind::step) note(source.index);
  }
}

std::optional<Replay> ReplayRecording::finish(std::span<const Ref<Node>> outputs) {
  if (current == this) current = nullptr;
  for (const Ref<Node>& output : outputs) {
    const auto step = steps_.find(output.get());
    if (step == steps_.end() || std::ranges::count(replay_.outputs_, step->second) > 0) spoil();
    if (is_spoiled_) return std::nullopt;
    replay_.outputs_.push_back(step->second);
  }
  if (is_spoiled_) return std::nullopt;
  find_derived();
  find_last_uses();
  return std::move(replay_);
}

}  // namespace tide
