// Finds the blocks that a tensor holds.
#include "runtime/tensor/block.h"

#include <algorithm>

#include "runtime/tensor/body.h"

namespace tide {

std::vector<Block> blocks_of(const Tensor& x) {
  std::vector<Block> blocks;
  std::vector<const Node*> nodes{x.body().cell->value.get()};
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = *nodes[i];
    if (const Storage* storage = node.storage.get())
      blocks.push_back({storage->data, storage->bytes, storage->holder->site()});
    if (node.state != Node::State::recomputable) continue;
    for (int j = 0; j < node.arity; ++j) {
      const Node* input = node.arguments[j].node.get();
      if (input && std::find(nodes.begin(), nodes.end(), input) == nodes.end())
        nodes.push_back(input);
    }
  }
  return blocks;
}

}  // namespace tide
