#include "runtime/explain/reasons.h"

#include "runtime/core/shape.h"
#include "runtime/record/window.h"

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
      return "it is full: results that nothing reads yet have " +
             std::to_string(Window::kMostUnreadBytes >> 20) + " MB";
    case FlushCause::Kind::eager:
      return "eager mode: each op by itself";
    case FlushCause::Kind::stream:
      return "what comes next goes to another stream";
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
      return std::string(compute.name) + " is a compute op, no loop";
    }
    case Refusal::region:
      return "a write to a part of a tensor is a step of its own";
    case Refusal::order:
      return "it also needs what a later step computes";
    case Refusal::unrelated:
      return "it reads nothing that the other reads or makes";
    case Refusal::sizes:
      return "different shapes: it walks " + sizes_text(domain_of(node)) + ", the other " +
             sizes_text(group.domain);
    case Refusal::view:
      return "it reads what the other makes in another order, or only a part of it";
    case Refusal::row_view:
      return "along the row that is reduced, an array is not evenly spaced";
    case Refusal::rows:
      return "it reduces along other dimensions";
    case Refusal::reduced:
      return "it reduces what the other has reduced";
    case Refusal::long_row:
      return "the other reduces rows of " + std::to_string(group.row_length) + " elements: over " +
             std::to_string(kLongestCachedRow) + " there is no second pass";
    case Refusal::operands:
      return "together they would use more than " + std::to_string(kMostOperands) + " arrays";
    case Refusal::siblings:
      return "the other has " + std::to_string(kMostSiblings) + " reductions already";
  }
  return {};
}

std::string reason_text(Kept kept) {
  switch (kept) {
    case Kept::no:
    case Kept::whole:
      break;
    case Kept::unread:
      return "nothing in the window reads it: the script may";
    case Kept::wanted:
      return "it was not stored before, and is needed again";
    case Kept::reduction:
      return "results of reductions are stored";
    case Kept::last_of_cell:
      return "it is what a tensor was given last in place";
    case Kept::holds_much:
      return "computing it again would need inputs that are large beside it, or many";
  }
  return {};
}

}  // namespace tide
