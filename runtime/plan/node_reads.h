// The values that a node reads, from the planner's point of view.
#pragma once

#include "runtime/record/node.h"

namespace tide {

/// Whether a loop can compute the node.
inline bool is_loop(const Node& node) {
  switch (node.kind) {
    case Node::Kind::map:
    case Node::Kind::iota:
    case Node::Kind::lookup:
    case Node::Kind::assign:
    case Node::Kind::reduce:
      return true;
    default:
      return false;
  }
}

/// Number of arguments that the node reads, if it is not a compute op: the value that an assignment
/// replaces is not read.
inline int read_count(const Node& node) { return node.kind == Node::Kind::assign ? 1 : node.arity; }

/// Whether the node reads the argument at computed positions: a loop cannot compute it as well.
inline bool is_looked_up(const Node& node, const Argument& argument) {
  return node.kind == Node::Kind::lookup && &argument == &node.arguments[0];
}

/// Calls `visit` for each argument that is a value and that the node reads.
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
