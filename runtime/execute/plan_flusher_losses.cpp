// Handles windows that cannot be flushed unchanged: memory is short, or an input is lost.
#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "runtime/execute/plan_flusher.h"
#include "runtime/record/recorder.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// The value that stays if the node is not computed; null if none.
Node* value_before(const Node& node) {
  return node.replaces() && !node.fills ? node.arguments[1].node.get() : nullptr;
}

/// The first input in this state that the node needs; null if none. The value replaced by an
/// assignment is not needed.
const Node* find_needed(const Node& node, Node::State state) {
  const auto matches = [&](const Argument& argument) {
    return argument.node && argument.node->state == state;
  };
  const int needed = node.kind == Node::Kind::assign ? 1 : node.arity;
  for (int j = 0; j < needed; ++j)
    if (matches(node.arguments[j])) return node.arguments[j].node.get();
  if (node.compute)
    for (const Argument& argument : node.compute->inputs)
      if (matches(argument)) return argument.node.get();
  return nullptr;
}

/// Turns the write into a copy of the previous value.
void become_copy(Node& node) {
  const Ref<Node> before = node.arguments[1].node;
  node.drop_arguments();
  node.kind = Node::Kind::assign;
  node.arity = 1;
  node.arguments[0].node = before;
}

/// A failure that is reported immediately to the caller of the flush.
Ref<Failure> reported_failure(const Node& node, const std::string& what) {
  Ref<Failure> failure = new Failure(node.name, node.site, what);
  failure->is_known();
  return failure;
}

/// The node, which is no longer in a window, will not be computed: a write leaves the previous
/// value, a recomputable value can be retried, everything else is lost.
void give_up(Node& node, const Ref<Failure>& failure) {
  node.must_store = false;
  node.storage = {};
  Node* before = value_before(node);
  if (before && before->state == Node::State::stored) {
    node.storage = before->storage;
    node.ticket = before->ticket;
    node.state = Node::State::stored;
    node.drop_arguments();
  } else if (before && before->state == Node::State::recomputable) {
    become_copy(node);
    node.state = Node::State::recomputable;
  } else if (node.rematerialized) {
    node.state = Node::State::recomputable;
  } else {
    node.state = Node::State::failed;
    node.failure = before ? before->failure : failure;
    node.drop_arguments();
  }
}

}  // namespace

std::vector<Ref<Node>> PlanFlusher::taken_nodes() {
  std::vector<Ref<Node>> nodes;
  window_.take(nodes);
  return nodes;
}

void PlanFlusher::give_up_all(const char* what) {
  for (const auto& node : taken_nodes()) give_up(*node, reported_failure(*node, what));
}

/// Removes nodes that need a lost value. An all-or-nothing step does not run.
void PlanFlusher::leave_out_lost() {
  const std::vector<Ref<Node>> nodes = taken_nodes();
  const bool together = Recorder::of_thread().all_or_nothing;
  Ref<Failure> failure;
  for (const auto& node : nodes)
    if (const Node* lost = find_needed(*node, Node::State::failed)) failure = lost->failure;
  for (const auto& node : nodes) {
    if (together && failure) {
      give_up(*node, failure);
      continue;
    }
    const Node* before = value_before(*node);
    if (const Node* lost = find_needed(*node, Node::State::failed)) {
      const bool before_is_here = before && before->state == Node::State::recorded;
      if (!before_is_here) {
        give_up(*node, lost->failure);
        continue;
      }
      become_copy(*node);
    } else if (before && before->state == Node::State::failed) {
      node->arity = 1;  // whatever it replaces
      node->arguments[1].node = {};
    }
    window_.add(node);
  }
}

/// The window as a whole does not fit in memory. Single ops need less, and only those that still do
/// not fit are lost; throws MemoryError with the line of the first of them. An all-or-nothing step
/// does not run.
void PlanFlusher::do_with_less_memory(const OutOfMemory& shortage) {
  std::string message;
  try {
    window_.device().raise_out_of_memory(shortage.bytes, shortage.node->name);
  } catch (const MemoryError& error) {
    message = error.what();
  }
  const Ref<Failure> failure = reported_failure(*shortage.node, message);
  std::vector<Ref<Node>> nodes = taken_nodes();
  const bool is_one_op = std::all_of(nodes.begin() + 1, nodes.end(), [](const auto& node) {
    return node->kind == Node::Kind::part;
  });
  if (!is_one_op && !Recorder::of_thread().all_or_nothing)
    return flush_in_turn(std::move(nodes), failure);
  for (const auto& node : nodes) give_up(*node, failure);
  if (failure->site.known() && !(failure->site == current_call_site()))
    message += "; queued at " + failure->site.text() + " (" + failure->op + ")";
  throw MemoryError(message);
}

/// Flushes the nodes op by op, and throws the first error. Ops that need a recomputable value that
/// could not be computed fail with its error.
void PlanFlusher::flush_in_turn(std::vector<Ref<Node>> nodes, const Ref<Failure>& failure) {
  std::exception_ptr first;
  for (size_t i = 0, end; i < nodes.size(); i = end) {
    for (end = i + 1; end < nodes.size() && nodes[end]->kind == Node::Kind::part;) ++end;
    const Node* before = value_before(*nodes[i]);
    const bool lacks = find_needed(*nodes[i], Node::State::recomputable) ||
                       (before && before->state == Node::State::recomputable);
    for (size_t k = i; k < end; ++k) {
      if (lacks)
        give_up(*nodes[k], failure);
      else
        window_.add(nodes[k]);
      nodes[k] = {};  // releases unreferenced memory for the nodes that follow
    }
    try {
      flush();
    } catch (const Error&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace tide
