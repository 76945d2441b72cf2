// Construction of nodes.
#include "runtime/record/new_node.h"

#include "runtime/record/replay.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

Argument without_node(const Argument& argument) {
  Argument result;
  if (argument.view) result.view = std::make_unique<Layout>(*argument.view);
  result.number = argument.number;
  return result;
}

}  // namespace

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
  if (ReplayRecording* recording = ReplayRecording::of_thread()) [[unlikely]]
    recording->note_created(*node);
  return node;
}

Ref<Node> new_node_like(const Node& node) {
  Ref<Node> result = new Node;
  result->kind = node.kind;
  result->name = node.name;
  result->device = node.device;
  result->type = node.type;
  result->operand_type = node.operand_type;
  result->shape = node.shape;
  result->reduction = node.reduction;
  result->arity = node.arity;
  result->first = node.first;
  result->last = node.last;
  result->fills = node.fills;
  result->op = node.op;
  result->site = current_call_site();
  for (int j = 0; j < node.arity; ++j) result->arguments[j] = without_node(node.arguments[j]);
  if (node.iota) result->iota = std::make_unique<Layout>(*node.iota);
  if (node.compute) {
    result->compute = std::make_unique<ComputeDetails>();
    result->compute->op = node.compute->op;
    result->compute->attributes = node.compute->attributes;
    for (const Argument& input : node.compute->inputs)
      result->compute->inputs.push_back(without_node(input));
  }
  return result;
}

}  // namespace tide
