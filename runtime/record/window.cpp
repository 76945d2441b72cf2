// The window: keys, the cut, and flushing.
#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/core/error.h"
#include "runtime/plan/plan_cache.h"
#include "runtime/record/recorder.h"

namespace tide {
namespace {

/// Elementwise ops that a window holds before it is cut; and results that nothing in it reads,
/// which will be stored all at once: so many bytes of at least so many results (a chain has few, of
/// any size).
constexpr size_t kMostOps = 128;
constexpr size_t kMostUnreadBytes = size_t{64} << 20;
constexpr size_t kFewUnread = 8;

std::atomic<uint64_t> next_epoch{1};

}  // namespace

void Window::begin() {
  epoch_ = next_epoch.fetch_add(1, std::memory_order_relaxed);
  counters.recorded.fetch_add(std::exchange(recorded_, 0), std::memory_order_relaxed);
  unread_bytes_ = 0;
  unread_ = 0;
  has_failed_inputs_ = false;
  holders_counted_ = false;
  foreign_.clear();
  nodes_.clear();
  externals_.clear();
  first_offsets_.clear();
  offsets_.clear();
  numbers_.clear();
  key_.clear();
}

void Window::record(const Ref<Node>& node, bool cuts_window) {
  ++recorded_;
  const auto is_full = [&] {
    return (nodes_.size() >= kMostOps ||
            (unread_bytes_ >= kMostUnreadBytes && unread_ >= kFewUnread)) &&
           !Recorder::of_thread().all_or_nothing;
  };
  if (!nodes_.empty() && (cuts_window || (node->compute && is_full()))) flush();
  const auto bring_in = [&](Argument& argument) {
    if (argument.node && argument.node->state == Node::State::recomputable)
      rematerialize(*argument.node);
  };
  for (int j = 0; j < node->arity; ++j) bring_in(node->arguments[j]);
  if (node->compute)
    for (Argument& argument : node->compute->inputs) bring_in(argument);
  add(node);
  if (node->kind == Node::Kind::part) return;
  // The parts of a compute op follow it at once: they must stay in its window.
  if (!node->compute && (is_full() || Recorder::of_thread().eager)) flush();
}

void Window::want(Node& node) { rematerialize(node); }

/// Adds a recomputable value and all recomputable values that it needs, inputs first. The
/// recomputable value itself is stored this time.
void Window::rematerialize(Node& root) {
  root.wanted = true;
  std::vector<std::pair<Node*, int>> path{{&root, 0}};
  while (!path.empty()) {
    auto& [node, next] = path.back();
    if (next < node->arity) {
      Node* input = node->arguments[next++].node.get();
      if (input && input->state == Node::State::recomputable) path.emplace_back(input, 0);
      continue;
    }
    Node* done = node;
    path.pop_back();
    if (done->state == Node::State::recomputable) add(done);
  }
}

void Window::add(const Ref<Node>& node) {
  if (node->state == Node::State::recomputable) node->again = true;
  node->state = Node::State::recorded;
  add_key(*node);
  node->epoch = epoch_;
  node->index = static_cast<uint16_t>(nodes_.size());
  nodes_.push_back(node);
  node->read = false;
  unread_bytes_ += node->bytes();
  ++unread_;
}

// Everything that a plan depends on goes into the key; numbers, offsets into outside values and
// addresses do not. Each part tells how many words follow, so that different windows have different
// keys.
void Window::add_key(const Node& node) {
  constexpr size_t kMostOfLayout = 1 + 2 * kMaxDims, kMostOfArgument = 2 + kMaxDims + kMostOfLayout;
  const ComputeDetails* compute = node.compute.get();
  key_.reserve_more(
      3 + kMaxDims + kMostOfLayout + 4 * kMostOfArgument +
      (compute ? compute->attributes.size() + compute->inputs.size() * kMostOfArgument : 0));
  key_.push(static_cast<uint64_t>(node.kind) | static_cast<uint64_t>(node.shape.rank()) << 4 |
            static_cast<uint64_t>(node.type) << 8 | static_cast<uint64_t>(node.operand_type) << 16 |
            static_cast<uint64_t>(node.reduction) << 24 | static_cast<uint64_t>(node.arity) << 32 |
            static_cast<uint64_t>(node.first) << 36 | static_cast<uint64_t>(node.last) << 40 |
            static_cast<uint64_t>(node.wanted) << 44 | static_cast<uint64_t>(node.fills) << 45 |
            static_cast<uint64_t>(node.op) << 48);
  key_.push(node.shape.begin(), node.shape.rank());
  if (compute) {
    key_.push(static_cast<uint64_t>(compute->op) | compute->inputs.size() << 32);
    key_.push(compute->attributes.size());
    key_.push(compute->attributes.data(), static_cast<int>(compute->attributes.size()));
    for (const Argument& argument : compute->inputs) add_argument(argument, node.shape);
  } else {
    for (int j = 0; j < node.arity; ++j) add_argument(node.arguments[j], node.shape);
  }
  if (node.iota) {
    add_layout(*node.iota);
    offsets_.push_back(node.iota->offset);
  }
}

/// `result` is the shape of the node that reads the argument.
void Window::add_argument(const Argument& argument, const Shape& result) {
  constexpr uint64_t kNumber = 0, kInside = 1, kExternal = 2;
  const auto bit = [](bool on, int place) { return static_cast<uint64_t>(on) << place; };
  const uint64_t has_view = bit(argument.view != nullptr, 2);
  if (!argument.node) {
    numbers_.push_back(argument.number);
    key_.push(kNumber);
    return;
  }
  Node& node = *argument.node;
  const int64_t offset = argument.view ? argument.view->offset : 0;
  offsets_.push_back(offset);
  if (node.state == Node::State::recorded && node.epoch == epoch_) {
    key_.push(kInside | has_view | uint64_t{node.index} << 16);
    if (argument.view) key_.push(static_cast<uint64_t>(offset));
    if (!node.read) {
      node.read = true;
      // The results of compute ops are stored, read or not.
      if (!node.compute) {
        unread_bytes_ -= node.bytes();
        --unread_;
      }
    }
  } else {
    if (node.state == Node::State::failed) has_failed_inputs_ = true;
    const bool known = node.epoch == epoch_;
    if (!known) {
      node.epoch = epoch_;
      node.index = static_cast<uint16_t>(externals_.size());
      externals_.push_back(argument.node);
      first_offsets_.push_back(offset);
    }
    const bool needs_shape = (!known || !argument.view) && !(node.shape == result);
    // Only whole values can be taken over, so offset 0 counts as structure too.
    key_.push(kExternal | has_view | bit(first_offsets_[node.index] == offset, 3) |
              bit(offset == 0, 4) | bit(needs_shape, 5) |
              (needs_shape ? static_cast<uint64_t>(node.shape.rank()) << 6 : 0) |
              uint64_t{node.index} << 16 | static_cast<uint64_t>(node.type) << 32);
    if (needs_shape) add_shape(node.shape);
  }
  if (argument.view) add_layout(*argument.view);
}

void Window::add_shape(const Shape& shape) { key_.push(shape.begin(), shape.rank()); }

void Window::add_layout(const Layout& layout) {
  key_.push(static_cast<uint64_t>(layout.rank()));
  add_shape(layout.shape);
  key_.push(layout.strides.data(), layout.rank());
}

void Window::flush() {
  if (has_failed_inputs_) leave_out_lost();
  if (nodes_.empty()) return;
  counters.windows.fetch_add(1, std::memory_order_relaxed);
  Ref<Plan> plan;
  uint64_t ticket = 0;
  try {
    plan = PlanCache::of_process().find(key_.view(), [&] {
      counters.plans.fetch_add(1, std::memory_order_relaxed);
      return make_plan({nodes_, externals_, offsets_, epoch_});
    });
    if (device_.has_streams()) follow_inputs();
    ticket = submit(*plan);
    if (!foreign_.empty()) keep_inputs(ticket);
  } catch (const OutOfMemory& wanted) {
    return do_with_less_memory(wanted);
  } catch (const Error& error) {
    give_up_all(error.what());
    throw;
  }
  settle(*plan, ticket);
}

void Window::set_stream(Stream& stream) {
  flush();
  stream_ = &stream;
  followed_.fill(0);
}

/// Makes the stream wait for those that write the window's inputs, and holds on to these: nothing
/// takes over their blocks.
void Window::follow_inputs() {
  foreign_.clear();
  for (const auto& node : externals_) {
    if (node->state != Node::State::stored) continue;  // replaced, and never computed
    Stream& writer = device_.stream_of(*node);
    if (&writer == stream_) continue;
    foreign_.push_back(node->storage);
    uint64_t& followed = followed_[writer.number];
    if (followed >= node->ticket) continue;
    followed = node->ticket;
    stream_->queue.submit([&](Submission& submission) {
      submission.task = [&queue = stream_->queue, &writer, ticket = node->ticket] {
        queue.follow(writer.queue, ticket);
      };
    });
  }
}

/// Keeps the blocks that other streams write from reuse until this one has read them.
void Window::keep_inputs(uint64_t ticket) {
  for (auto& storage : foreign_) device_.keep_until(std::move(storage), stream_->queue, ticket);
  foreign_.clear();
}

/// Binds the plan and queues it. If memory is short, memory is reclaimed between two tries. Throws
/// OutOfMemory.
uint64_t Window::submit(Plan& plan) {
  const auto try_once = [&] {
    return stream_->queue.submit([&](Submission& submission) { bind(plan, submission); });
  };
  try {
    return try_once();
  } catch (const OutOfMemory&) {
    device_.reclaim();
  }
  return try_once();
}

Ref<Storage> Window::take(size_t bytes, const Node& node) {
  Ref<Storage> storage = device_.try_allocate(std::max<size_t>(bytes, 1), *stream_);
  if (!storage) throw OutOfMemory{bytes, &node};
  return storage;
}

void Window::bind(Plan& plan, Submission& submission) {
  submission.plan = &plan;
  submission.ops = size();
  submission.all_or_nothing = Recorder::of_thread().all_or_nothing;
  submission.cancelled = Recorder::of_thread().cancelled;
  submission.must_run = Recorder::of_thread().must_run;
  try {
    for (size_t bytes : plan.temporary_bytes) temporaries_.push_back(take(bytes, *nodes_[0]));
    for (const Step& step : plan.steps) bind_step(plan, step, submission);
  } catch (...) {
    temporaries_.clear();
    for (const auto& node : nodes_) node->storage = {};
    throw;
  }
  temporaries_.clear();
}

void Window::bind_step(const Plan& plan, const Step& step, Submission& submission) {
  BoundStep bound{};
  bound.step = &step;
  const Node& node = *nodes_[step.node];
  bound.name = node.name;
  bound.site = node.site;
  auto& words = submission.words;
  const auto here = [&] { return static_cast<uint32_t>(words.size()); };
  // What the step falls back to must be looked up before an output takes it over.
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
    const int64_t offset = use.offset == BufferUse::kNone ? 0 : offsets_[use.offset];
    words.push_back(use.source == BufferUse::Source::iota
                        ? static_cast<uint64_t>(offset)
                        : words[bound.storages + i] +
                              static_cast<uint64_t>(offset) * size_of(use.type));
  }
  bound.outputs = here();
  for (uint16_t output : step.outputs)
    words.push_back(reinterpret_cast<uint64_t>(nodes_[output]->storage->data));
  bound.parameters = here();
  for (uint32_t place : step.parameters) words.push_back(numbers_[place]);
  submission.steps.push_back(bound);
  for (uint16_t released : step.releases) nodes_[released]->storage = {};
}

void Window::take_outputs(const Plan& plan, const Step& step, BoundStep& bound) {
  for (const Step::Reuse& reuse : step.reuses) {
    if (nodes_[reuse.output]->storage || !held_by_window_alone(plan, reuse.value)) continue;
    nodes_[reuse.output]->storage = storage_of(reuse.value);
    bound.skip = step.unless_reused;
  }
  for (uint16_t output : step.outputs) {
    Node& node = *nodes_[output];
    if (!node.storage) {
      node.storage = take(node.bytes(), node);
      node.storage->site = node.site;  // the op's line, not the one that flushes
    }
  }
}

Storage* Window::storage_of(const BufferUse& use) const {
  switch (use.source) {
    case BufferUse::Source::external:
      return externals_[use.index]->storage.get();
    case BufferUse::Source::node:
      return nodes_[use.index]->storage.get();
    case BufferUse::Source::temporary:
      return temporaries_[use.index].get();
    case BufferUse::Source::iota:
      break;
  }
  return nullptr;
}

/// Whether nobody else can read what lies there.
bool Window::held_by_window_alone(const Plan& plan, const BufferUse& value) {
  if (!holders_counted_) count_holders(plan);
  // A block of the window's own is with nobody else, or was taken over from such a one.
  if (value.source == BufferUse::Source::node) return node_holders_[value.index] == 0;
  const Storage& storage = *externals_[value.index]->storage;
  return holders_[value.index] == 0 && storage.unique() && !storage.lost;
}

/// Counts who else holds each value: from the last node to the first, what only serves nodes that
/// are stored (and forget their arguments) or that nobody holds does not count.
void Window::count_holders(const Plan& plan) {
  holders_counted_ = true;
  holders_.resize(externals_.size());
  for (size_t e = 0; e < externals_.size(); ++e) holders_[e] = externals_[e]->owners() - 1;
  node_holders_.resize(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) node_holders_[i] = nodes_[i]->owners() - 1;
  const auto forget = [&](const Argument& argument) {
    if (!argument.node) return;
    const bool inside =
        argument.node->state == Node::State::recorded && argument.node->epoch == epoch_;
    --(inside ? node_holders_ : holders_)[argument.node->index];
  };
  for (size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = *nodes_[i];
    if (plan.fates[i] != Fate::keep && node_holders_[i] > 0) continue;
    for (const Argument& argument : node.arguments) forget(argument);
    if (node.compute)
      for (const Argument& argument : node.compute->inputs) forget(argument);
  }
}

/// Notes what became of the nodes. Their destruction may run long; the window is new by then.
void Window::settle(const Plan& plan, uint64_t ticket) {
  std::vector<Ref<Node>> nodes;
  nodes.swap(nodes_);
  for (size_t i = 0; i < nodes.size(); ++i) {
    Node& node = *nodes[i];
    node.wanted = false;
    if (plan.fates[i] == Fate::keep) {
      node.state = Node::State::stored;
      node.ticket = ticket;
    } else {
      node.state = Node::State::recomputable;
    }
  }
  begin();
  // Arguments are forgotten only now: a part names its compute op's node.
  for (size_t i = 0; i < nodes.size(); ++i)
    if (plan.fates[i] == Fate::keep) nodes[i]->drop_arguments();
  nodes.clear();
  nodes_.swap(nodes);
}

}  // namespace tide
