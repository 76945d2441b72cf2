// Construction of nodes.
#include "runtime/record/new_node.h"

#include "runtime/types/error.h"

namespace tide {

void check_countable(const char* name, const Shape& shape) {
  constexpr int64_t kMost = INT64_MAX / 8;
  int64_t count = 1;
  for (int64_t size : shape)
    if (size > 0 && (__builtin_mul_overflow(count, size, &count) || count > kMost))
      throw ShapeError(std::string(name) + ": too many elements: shape " + shape.text());
}

Ref<Node> new_node(Node::Kind kind, const char* name, DeviceState& device, DType type,
                   const Shape& shape) {
  check_countable(name, shape);
  Ref<Node> node = new Node;
  node->kind = kind;
  node->name = name;
  node->device = &device;
  node->type = type;
  node->shape = shape;
  node->site = current_call_site();
  return node;
}

}  // namespace tide
