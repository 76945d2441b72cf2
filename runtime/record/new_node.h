// Nodes as ops begin them.
#pragma once

#include "runtime/record/node.h"

namespace tide {

/// Throws ShapeError if the bytes of so many elements cannot be counted. `name` is the op's.
void check_countable(const char* name, const Shape& shape);

/// A node with the line of the script that is running. Throws what check_countable does.
Ref<Node> new_node(Node::Kind kind, const char* name, DeviceState& device, DType type,
                   const Shape& shape);

}  // namespace tide
