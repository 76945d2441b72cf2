// A value is computed again where that is cheap and holds on to little.
#include "runtime/plan/fates.h"

#include <algorithm>

#include "runtime/plan/node_reads.h"

namespace tide {
namespace {

/// A recomputable value may hold this many times its own size, and a little more for small values.
constexpr size_t kPinFactor = 4, kPinSlack = 256;
constexpr size_t kMostLeaves = 12;

/// The stored values that a value is computed from.
using Leaves = std::vector<const Node*>;

/// Collects the stored values that the recomputable value of node i would hold; whether they are
/// small beside it.
bool pins_little(const WindowView& window, size_t i, std::vector<Leaves>& leaves) {
  const Node& n = *window.nodes[i];
  Leaves& own = leaves[i];
  for_reads(n, [&](const Argument& argument) {
    if (!window.inside(*argument.node)) {
      own.push_back(argument.node.get());
    } else {
      const Leaves& theirs = leaves[argument.node->index];
      own.insert(own.end(), theirs.begin(), theirs.end());
    }
  });
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
  size_t bytes = 0;
  for (const Node* leaf : own) bytes += leaf->bytes();
  return own.size() <= kMostLeaves && bytes <= kPinFactor * n.bytes() + kPinSlack;
}

}  // namespace

std::vector<Fate> decide_fates(const WindowView& window, const Grouping& grouping) {
  const size_t n = window.nodes.size();
  std::vector<bool> read(n, false), replaced(n, false);
  for (size_t i = 0; i < n; ++i) {
    const Node& node = *window.nodes[i];
    for_reads(node, [&](const Argument& argument) {
      if (window.inside(*argument.node)) read[argument.node->index] = true;
    });
    if (!node.replaces() || !node.arguments[1].node || !window.inside(*node.arguments[1].node))
      continue;
    const uint16_t old = node.arguments[1].node->index;
    if (node.kind == Node::Kind::assign) replaced[old] = true;
    // It is what is left if this fails.
    if (grouping.group_of[old] != grouping.group_of[i]) read[old] = true;
  }
  std::vector<Fate> fates(n, Fate::keep);
  std::vector<Leaves> leaves(n);
  for (size_t i = 0; i < n; ++i) {
    const Node& node = *window.nodes[i];
    // The last value that a cell is given must be there: a recomputable value would hold on to the
    // one before, and be computed although the step that it belongs to failed.
    const bool last_of_cell = node.kind == Node::Kind::assign && !replaced[i];
    const bool light = is_loop(node) && node.kind != Node::Kind::reduce && !last_of_cell;
    if (!light || node.wanted || !read[i] || node.shape.numel() == 0 ||
        !pins_little(window, i, leaves))
      leaves[i].assign(1, &node);
    else
      fates[i] = grouping.read_elsewhere[i] ? Fate::temporary : Fate::recomputable;
  }
  return fates;
}

}  // namespace tide
