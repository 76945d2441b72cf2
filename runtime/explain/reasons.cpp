#include "runtime/explain/reasons.h"

#include "runtime/record/window.h"
#include "runtime/types/shape.h"

namespace tide {
namespace {

/// Without sizes of 1, as the planner compares them.
std::string sizes_text(const SqueezedLayout& layout) {
  Shape shape;
  for (int d = 0; d < layout.rank; ++d) shape.push_back(layout.sizes[d]);
  return shape.text();
}

/// The domain of the op.
SqueezedLayout domain_of(const Node& node) {
  if (node.kind == Node::Kind::reduce)
    return SqueezedLayout(walked_layout(node, node.arguments[0]));
  return SqueezedLayout(Layout(node.shape));
}

}  // namespace

std::string reason_text(const FlushCause& cause) {
  const std::string by = cause.by;
  switch (cause.kind) {
    case FlushCause::Kind::asked:
      return by + " flushes it";
    case FlushCause::Kind::needed:
      return by + " needs a value";
    case FlushCause::Kind::cut:
      return by + " cuts the window";
    case FlushCause::Kind::full:
      return "it is full: " + std::to_string(Window::kMostOps) + " ops";
    case FlushCause::Kind::large:
      return "it is full: unread results take " + std::to_string(Window::kMostUnreadBytes >> 20) +
             " MB";
    case FlushCause::Kind::eager:
      return "eager mode: each op is flushed separately";
    case FlushCause::Kind::stream:
      return "the next op goes to another stream";
  }
  return {};
}

std::string reason_text(const WindowView& window, const Grouping& grouping,
                        const Refused& refused) {
  const Node& node = *window.nodes[refused.node];
  const Group& group = grouping.groups[refused.group];
  switch (refused.refusal) {
    case Refusal::none:
      break;
    case Refusal::compute_op: {
      const bool own = node.kind == Node::Kind::compute;
      const Node& compute = own ? node : *window.nodes[group.members[0]];
      return std::string(compute.name) + " is a compute op, not a loop";
    }
    case Refusal::region:
      return "a write to part of a tensor is a separate step";
    case Refusal::order:
      return "it also needs a value from a later step";
    case Refusal::unrelated:
      return "it shares no data with the other";
    case Refusal::sizes:
      return "different shapes: it iterates over " + sizes_text(domain_of(node)) + ", the other " +
             sizes_text(group.domain);
    case Refusal::view:
      return "it reads the other's result in another order, or only part of it";
    case Refusal::row_view:
      return "an array is not evenly spaced along the reduced row";
    case Refusal::rows:
      return "it reduces along other dimensions";
    case Refusal::reduced:
      return "it reduces a value that the other has reduced";
    case Refusal::long_row:
      return "the other reduces rows of " + std::to_string(group.row_length) +
             " elements: no second pass over more than " + std::to_string(kLongestCachedRow);
    case Refusal::operands:
      return "together they would use more than " + std::to_string(kMostOperands) + " arrays";
    case Refusal::siblings:
      return "the other already has " + std::to_string(kMostSiblings) + " reductions";
  }
  return {};
}

std::string reason_text(Kept kept) {
  switch (kept) {
    case Kept::no:
    case Kept::whole:
      break;
    case Kept::unread:
      return "nothing in the window reads it, but the script may";
    case Kept::wanted:
      return "it was not stored before, and is needed again";
    case Kept::reduction:
      return "results of reductions are stored";
    case Kept::last_of_cell:
      return "it is the last value assigned to a tensor in place";
    case Kept::holds_much:
      return "recomputing it would need inputs that are relatively large, or many";
  }
  return {};
}

}  // namespace tide
