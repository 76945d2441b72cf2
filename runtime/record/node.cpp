// Lifetime of nodes.
#include "runtime/record/node.h"

namespace tide {

void Node::destroy(Node* node) {
  // Releasing a node's arguments may free them in turn: they are queued here for the outermost
  // call. Only a pointer outlives it, as some nodes die after thread_local objects.
  thread_local std::vector<Node*>* waiting = nullptr;
  if (waiting) return waiting->push_back(node);
  std::vector<Node*> dying;
  waiting = &dying;
  delete node;
  while (!dying.empty()) {
    Node* next = dying.back();
    dying.pop_back();
    delete next;
  }
  waiting = nullptr;
}

void Node::drop_arguments() {
  for (Argument& argument : arguments) {
    argument.node = {};
    argument.view.reset();
  }
  iota.reset();
  compute.reset();
}

}  // namespace tide
