// Turns a window into a submission: its plan, addresses, and the new states of its nodes.
#include "runtime/execute/plan_flusher.h"

#include <algorithm>
#include <utility>

#include "runtime/execute/submission.h"
#include "runtime/plan/plan_cache.h"
#include "runtime/profile/recorder.h"
#include "runtime/record/recorder.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// A span of this thread, at the script's line.
class SiteSpan {
 public:
  SiteSpan(profile::EventKind kind, const char* name) : span_(kind, name) {
    if (span_) set_site(span_.event(), current_call_site());
  }

 private:
  profile::Span span_;
};

/// The ops of the window that the step computes, for the profile.
uint32_t source_of(const Window& window, const Step& step) {
  thread_local std::vector<profile::SourceOp> ops;
  ops.clear();
  for (const uint16_t member : step.members) {
    const Node& node = *window.nodes()[member];
    if (node.kind == Node::Kind::part) continue;
    ops.push_back({node.name, node.site.file, node.site.line});
  }
  return profile::source_of(ops);
}

}  // namespace

std::shared_ptr<PlanFlusher> make_flusher(Window& window) {
  return std::make_shared<PlanFlusher>(window);
}

void flush_window(PlanFlusher& flusher) { flusher.flush(); }

void PlanFlusher::flush() {
  if (window_.has_failed_inputs()) leave_out_lost();
  if (window_.nodes().empty()) return;
  if (stream_ != &window_.stream()) {
    stream_ = &window_.stream();
    followed_.fill(0);
  }
  const SiteSpan span(profile::EventKind::flush, "flush");
  holders_counted_ = false;
  foreign_.clear();
  counters.windows.fetch_add(1, std::memory_order_relaxed);
  Ref<Plan> plan;
  uint64_t ticket = 0;
  try {
    plan = PlanCache::of_process().find(window_.key(), [&] {
      counters.plans.fetch_add(1, std::memory_order_relaxed);
      const SiteSpan planning(profile::EventKind::plan, "plan");
      return make_plan({window_.nodes(), window_.externals(), window_.offsets(), window_.epoch(),
                        window_.batches(), window_.finishing_loops()});
    });
    if (window_.device().has_streams()) follow_inputs();
    ticket = submit(*plan);
    if (!foreign_.empty()) keep_inputs(ticket);
  } catch (const OutOfMemory& shortage) {
    return do_with_less_memory(shortage);
  } catch (const Error& error) {
    give_up_all(error.what());
    throw;
  }
  settle(*plan, ticket);
  if (profile::is_on()) [[unlikely]]
    window_.device().profile_memory();
}

/// Makes the stream wait for those that write the window's inputs, and holds references to these,
/// so that their blocks are not reused.
void PlanFlusher::follow_inputs() {
  for (const auto& node : window_.externals()) {
    if (node->state != Node::State::stored) continue;  // replaced, and never computed
    Stream& writer = window_.device().stream_of(*node->storage);
    if (&writer == stream_) continue;
    foreign_.push_back(node->storage);
    uint64_t& followed = followed_[writer.number];
    if (followed >= node->ticket) continue;
    followed = node->ticket;
    stream_->queue->submit_wait_for(*writer.queue, node->ticket);
  }
}

/// Keeps blocks that other streams write from reuse until this one has read them.
void PlanFlusher::keep_inputs(uint64_t ticket) {
  for (auto& storage : foreign_)
    window_.device().keep_until(std::move(storage), *stream_->queue, ticket);
  foreign_.clear();
}

/// Binds the plan and queues it. If memory is short, reclaims memory and retries. Throws
/// OutOfMemory.
uint64_t PlanFlusher::submit(Plan& plan) {
  const auto try_once = [&] {
    return stream_->queue->submit([&](Submission& submission) { bind(plan, submission); });
  };
  try {
    return try_once();
  } catch (const OutOfMemory&) {
    window_.device().reclaim();
  }
  return try_once();
}

Ref<Storage> PlanFlusher::take(size_t bytes, const Node& node) {
  bytes = std::max<size_t>(bytes, 1);
  // Values in pinned memory stay there when written to.
  const Node* const old = node.kind == Node::Kind::write ? node.arguments[1].node.get() : nullptr;
  if (old && old->storage && old->storage->pinned())
    if (Ref<Storage> storage = DeviceState::pinning()->pinned.allocate(bytes, stream_->number))
      return storage;
  // The memory belongs to the op's line, not to the line that flushes.
  Ref<Storage> storage = window_.device().try_allocate(bytes, *stream_, node.site);
  if (!storage) throw OutOfMemory{bytes, &node};
  return storage;
}

void PlanFlusher::bind(Plan& plan, Submission& submission) {
  submission.plan = &plan;
  submission.ops = window_.size();
  const Recorder& recorder = Recorder::of_thread();
  submission.all_or_nothing = recorder.all_or_nothing;
  submission.cancelled = recorder.cancelled;
  submission.must_run = recorder.must_run;
  try {
    for (size_t bytes : plan.temporary_bytes)
      temporaries_.push_back(take(bytes, *window_.nodes()[0]));
    for (const Step& step : plan.steps) bind_step(plan, step, submission);
  } catch (...) {
    temporaries_.clear();
    for (const auto& node : window_.nodes()) node->storage = {};
    throw;
  }
  temporaries_.clear();
}

void PlanFlusher::bind_step(const Plan& plan, const Step& step, Submission& submission) {
  BoundStep bound{};
  bound.step = &step;
  const Node& node = *window_.nodes()[step.node];
  bound.name = node.name;
  bound.site = node.site;
  if (profile::is_on()) [[unlikely]]
    bound.source = source_of(window_, step);
  auto& words = submission.words;
  const auto here = [&] { return static_cast<uint32_t>(words.size()); };
  // Fallback values must be looked up before an output reuses their storage.
  bound.fallbacks = here();
  for (const auto& fallback : step.fallbacks)
    words.push_back(reinterpret_cast<uint64_t>(storage_of(fallback.old)->data));
  bound.storages = here();
  words.resize(words.size() + step.buffers.size());
  const auto fill = [&](size_t i) {
    const BufferUse& use = step.buffers[i];
    if (use.source == BufferUse::Source::iota) return;
    words[bound.storages + i] = reinterpret_cast<uint64_t>(storage_of(use)->data);
  };
  for (size_t i = 0; i < step.buffers.size(); ++i)
    if (step.buffers[i].source == BufferUse::Source::external) fill(i);
  take_outputs(plan, step, bound);
  for (size_t i = 0; i < step.buffers.size(); ++i)
    if (step.buffers[i].source != BufferUse::Source::external) fill(i);
  bound.bases = here();
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    const BufferUse& use = step.buffers[i];
    const int64_t offset = use.offset == BufferUse::kNone ? 0 : window_.offsets()[use.offset];
    words.push_back(use.source == BufferUse::Source::iota
                        ? static_cast<uint64_t>(offset)
                        : words[bound.storages + i] +
                              static_cast<uint64_t>(offset) * size_of(use.type));
  }
  bound.outputs = here();
  for (uint16_t output : step.outputs)
    words.push_back(reinterpret_cast<uint64_t>(window_.nodes()[output]->storage->data));
  const auto is_rematerialized = [&](uint16_t output) {
    return window_.nodes()[output]->rematerialized;
  };
  if (std::any_of(step.outputs.begin(), step.outputs.end(), is_rematerialized)) {
    bound.rematerialized = here();
    for (uint16_t output : step.outputs) words.push_back(is_rematerialized(output));
  }
  bound.parameters = here();
  for (uint32_t place : step.parameters) words.push_back(window_.numbers()[place]);
  submission.steps.push_back(bound);
  for (uint16_t released : step.releases) window_.nodes()[released]->storage = {};
}

void PlanFlusher::take_outputs(const Plan& plan, const Step& step, BoundStep& bound) {
  for (const Step::Reuse& reuse : step.reuses) {
    if (window_.nodes()[reuse.output]->storage || !held_by_window_alone(plan, reuse.value))
      continue;
    window_.nodes()[reuse.output]->storage = storage_of(reuse.value);
    bound.skip = step.unless_reused;
  }
  for (uint16_t output : step.outputs) {
    Node& node = *window_.nodes()[output];
    if (!node.storage) node.storage = take(node.bytes(), node);
  }
}

Storage* PlanFlusher::storage_of(const BufferUse& use) const {
  switch (use.source) {
    case BufferUse::Source::external:
      return window_.externals()[use.index]->storage.get();
    case BufferUse::Source::node:
      return window_.nodes()[use.index]->storage.get();
    case BufferUse::Source::temporary:
      return temporaries_[use.index].get();
    case BufferUse::Source::iota:
      break;
  }
  return nullptr;
}

/// Whether no other code can read the value.
bool PlanFlusher::held_by_window_alone(const Plan& plan, const BufferUse& value) {
  if (!holders_counted_) count_holders(plan);
  // A block of the window itself has no other owner, or was reused from one without.
  if (value.source == BufferUse::Source::node) return node_holders_[value.index] == 0;
  const Storage& storage = *window_.externals()[value.index]->storage;
  return holders_[value.index] == 0 && storage.unique();
}

/// Counts the outside owners of each value: from the last node to the first, references from nodes
/// that are stored (which release their arguments) or that have no owners do not count.
void PlanFlusher::count_holders(const Plan& plan) {
  holders_counted_ = true;
  holders_.resize(window_.externals().size());
  for (size_t e = 0; e < window_.externals().size(); ++e)
    holders_[e] = window_.externals()[e]->owners() - 1;
  node_holders_.resize(window_.nodes().size());
  for (size_t i = 0; i < window_.nodes().size(); ++i)
    node_holders_[i] = window_.nodes()[i]->owners() - 1;
  const auto forget = [&](const Argument& argument) {
    if (!argument.node) return;
    const bool inside =
        argument.node->state == Node::State::recorded && argument.node->epoch == window_.epoch();
    --(inside ? node_holders_ : holders_)[argument.node->index];
  };
  for (size_t i = window_.nodes().size(); i-- > 0;) {
    const Node& node = *window_.nodes()[i];
    if (plan.fates[i] != Fate::keep && node_holders_[i] > 0) continue;
    for (const Argument& argument : node.arguments) forget(argument);
    if (node.compute)
      for (const Argument& argument : node.compute->inputs) forget(argument);
  }
}

/// Updates the states of the nodes. Destroying them may run long; the window is new by then.
void PlanFlusher::settle(const Plan& plan, uint64_t ticket) {
  std::vector<Ref<Node>> nodes;
  nodes.swap(spare_);
  window_.take(nodes);
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node& node = *nodes[i];
    node.must_store = false;
    if (plan.fates[i] == Fate::keep) {
      node.state = Node::State::stored;
      node.ticket = ticket;
    } else {
      node.state = Node::State::recomputable;
    }
  }
  // Arguments are released only now: a part refers to its compute op's node.
  for (size_t i = 0; i < nodes.size(); ++i)
    if (plan.fates[i] == Fate::keep) nodes[i]->drop_arguments();
  nodes.clear();
  spare_.swap(nodes);
}

}  // namespace tide
