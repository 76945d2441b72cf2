// Cutting windows, and their keys.
#include "runtime/record/window.h"

#include <atomic>
#include <utility>

#include "runtime/ir/elementwise_ops.h"
#include "runtime/record/recorder.h"

namespace tide {
namespace {

std::atomic<uint64_t> next_epoch{1};

}  // namespace

void Window::begin() {
  epoch_ = next_epoch.fetch_add(1, std::memory_order_relaxed);
  counters.recorded.fetch_add(std::exchange(recorded_, 0), std::memory_order_relaxed);
  unread_bytes_ = 0;
  unread_ = 0;
  has_failed_inputs_ = false;
  nodes_.clear();
  externals_.clear();
  first_offsets_.clear();
  offsets_.clear();
  numbers_.clear();
  key_.clear();
  key_.reserve_more(1);
  key_.push(batches_ | finishing_loops_ << 1);
}

std::optional<FlushCause> Window::fullness() const {
  const bool full = nodes_.size() >= kMostOps;
  const bool large = unread_bytes_ >= kMostUnreadBytes && unread_ >= kFewUnread;
  if ((!full && !large) || Recorder::of_thread().all_or_nothing) return std::nullopt;
  return FlushCause{full ? FlushCause::Kind::full : FlushCause::Kind::large};
}

void Window::record(const Ref<Node>& node, bool cuts_window) {
  ++recorded_;
  if (cuts_window)
    flush({FlushCause::Kind::cut, node->name});
  else if (node->compute)
    if (const auto cause = fullness()) flush(*cause);
  const auto ensure_recorded = [&](Argument& argument) {
    if (argument.node && argument.node->state == Node::State::recomputable)
      rematerialize(*argument.node, false);
  };
  for (int j = 0; j < node->arity; ++j) ensure_recorded(node->arguments[j]);
  if (node->compute)
    for (Argument& argument : node->compute->inputs) ensure_recorded(argument);
  add(node);
  if (node->kind == Node::Kind::part) return;
  // The parts of a compute op follow it immediately: they must stay in its window.
  if (node->compute) return;
  if (const auto cause = fullness())
    flush(*cause);
  else if (Recorder::of_thread().eager)
    flush({FlushCause::Kind::eager});
}

void Window::want(Node& node) { rematerialize(node, true); }

/// Adds a recomputable value and all recomputable values that it needs, inputs first. The value is
/// stored if `must_store`. Most are rematerialized once, for a gradient; an expensive value is
/// stored the first time, a cheap one the second time.
void Window::rematerialize(Node& root, bool must_store) {
  double cost = 0;  // instructions per element of the root
  const auto cost_of_node = [&](const Node& node) {
    return node.kind == Node::Kind::assign ? 0.0
                                           : cost_of(static_cast<ElementwiseOp>(node.op)) *
                                                 static_cast<double>(node.shape.numel()) /
                                                 static_cast<double>(root.shape.numel());
  };
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
    if (done->state != Node::State::recomputable) continue;
    cost += cost_of_node(*done);
    done->must_store = done->rematerialized || (done == &root && (must_store || cost > kCheapCost));
    done->rematerialized = true;
    add(done);
  }
}

void Window::add(const Ref<Node>& node) {
  node->state = Node::State::recorded;
  add_key(*node);
  node->epoch = epoch_;
  node->index = static_cast<uint16_t>(nodes_.size());
  nodes_.push_back(node);
  node->read = false;
  unread_bytes_ += node->bytes();
  ++unread_;
}

// The key contains everything that a plan depends on, so not scalars, offsets into external values,
// or addresses. Each part contains its length, so that different windows have different keys.
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
            static_cast<uint64_t>(node.must_store) << 44 | static_cast<uint64_t>(node.fills) << 45 |
            static_cast<uint64_t>(node.op) << 48);
  key_.push(node.shape.begin(), node.shape.rank());
  if (compute) {
    key_.push(static_cast<uint64_t>(compute->op) | compute->inputs.size() << 32);
    key_.push(compute->attributes.size());
    key_.push(compute->attributes.data(), static_cast<int>(compute->attributes.size()));
    // A check of positions does not read their table.
    const bool reads = compute->op != ComputeOp::require;
    for (const Argument& argument : compute->inputs) add_argument(argument, node.shape, reads);
  } else {
    const bool looks_up = node.kind == Node::Kind::lookup;
    for (int j = 0; j < node.arity; ++j)
      add_argument(node.arguments[j], node.shape, !looks_up || j > 0);
  }
  if (node.iota) {
    add_layout(*node.iota);
    offsets_.push_back(node.iota->offset);
  }
}

/// `result` is the shape of the node that reads the argument. `fuses`: a loop may compute both.
void Window::add_argument(const Argument& argument, const Shape& result, bool fuses) {
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
      // The results of compute ops and what is looked up are stored even if read.
      if (!node.compute && fuses) {
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
    // Only entire values can be reused, so offset 0 is part of the structure too.
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

void Window::set_stream(Stream& stream) {
  flush({FlushCause::Kind::stream});
  stream_ = &stream;
}

void Window::take(std::vector<Ref<Node>>& nodes) {
  nodes.swap(nodes_);
  begin();
}

}  // namespace tide
