// What a node reads, as the planner sees it.
#pragma once

#include "runtime/record/node.h"

namespace tide {

/// Whether a loop can compute the node.
inline bool is_loop(const Node& node) {
  switch (node.kind) {
    case Node::Kind::map:
    case Node::Kind::iota:
    case Node::Kind::assign:
    case Node::Kind::reduce:
      return true;
    default:
      return false;
  }
}

/// Arguments that the node reads, of those that are not a compute op's: what an assignment replaces
/// is not read.
inline int read_count(const Node& node) { return node.kind == Node::Kind::assign ? 1 : node.arity; }

/// Calls `visit` with each argument that is a value and that the node reads.
template <class Visit>
void for_reads(const Node& node, const Visit& visit) {
  if (node.compute) {
    for (const Argument& argument : node.compute->inputs) visit(argument);
  } else {
    for (int j = 0; j < read_count(node); ++j)
      if (node.arguments[j].node) visit(node.arguments[j]);
  }
}

}  // namespace tide
