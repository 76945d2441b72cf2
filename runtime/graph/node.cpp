// Lifetime of nodes.
#include "runtime/graph/node.h"

namespace tide {

void Node::destroy(Node* node) {
  // Releasing a node's arguments may free them in turn: these wait here for the outermost call.
  thread_local std::vector<Node*> dying;
  thread_local bool active = false;
  dying.push_back(node);
  if (active) return;
  active = true;
  while (!dying.empty()) {
    Node* next = dying.back();
    dying.pop_back();
    delete next;
  }
  active = false;
}

void Node::drop_arguments() {
  for (Argument& argument : arguments) {
    argument.node = {};
    argument.view.reset();
  }
  ramp.reset();
  native.reset();
}

}  // namespace tide
