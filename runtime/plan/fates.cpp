// A value is recomputed if that is cheap and keeps little memory alive.
#include "runtime/plan/fates.h"

#include <algorithm>

#include "runtime/plan/node_reads.h"

namespace tide {
namespace {

/// A recomputable value may retain this many times its own size, plus a little.
constexpr size_t kPinFactor = 4, kPinSlack = 256;
constexpr size_t kMostLeaves = 12;

/// The stored values that a value is computed from.
using Leaves = std::vector<const Node*>;

/// Collects the stored values that the recomputable value of node i would keep alive; whether they
/// are relatively small.
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

std::vector<Fate> decide_fates(const WindowView& window, const Grouping& grouping,
                               std::vector<Kept>* kept) {
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
    // It is the value that remains if this node fails.
    if (grouping.group_of[old] != grouping.group_of[i]) read[old] = true;
  }
  std::vector<Fate> fates(n, Fate::keep);
  std::vector<Leaves> leaves(n);
  const auto why_kept = [&](size_t i) {
    const Node& node = *window.nodes[i];
    if (!is_loop(node) || node.shape.numel() == 0) return Kept::whole;
    if (node.must_store) return Kept::wanted;
    if (!read[i]) return Kept::unread;
    if (node.kind == Node::Kind::reduce) return Kept::reduction;
    // The last value assigned to a cell must be stored: a recomputable value would keep the
    // previous one alive, and be computed even if its step failed.
    if (node.kind == Node::Kind::assign && !replaced[i]) return Kept::last_of_cell;
    return pins_little(window, i, leaves) ? Kept::no : Kept::holds_much;
  };
  if (kept) kept->resize(n);
  for (size_t i = 0; i < n; ++i) {
    const Kept why = why_kept(i);
    if (why == Kept::no)
      fates[i] = grouping.read_elsewhere[i] ? Fate::temporary : Fate::recomputable;
    else
      leaves[i].assign(1, window.nodes[i].get());
    if (kept) (*kept)[i] = why;
  }
  return fates;
}

}  // namespace tide
