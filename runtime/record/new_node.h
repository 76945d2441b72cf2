// Construction of nodes.
#pragma once

#include "runtime/record/node.h"

namespace tide {

/// Throws ShapeError if the size in bytes overflows. `name` is the op's.
void check_countable(const char* name, const Shape& shape);

/// A node with the current line of the script. Throws like check_countable.
Ref<Node> new_node(Node::Kind kind, const char* name, DeviceState& device, DType type,
                   const Shape& shape);

/// A node for the same op and the same arguments, except that these have no nodes; with the current
/// line of the script.
Ref<Node> new_node_like(const Node& node);

}  // namespace tide
