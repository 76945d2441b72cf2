// Conversions, differences and iotas are recomputed rather than stored and read.
#include "runtime/plan/inlining.h"

#include <algorithm>

#include "runtime/ir/elementwise_ops.h"
#include "runtime/plan/node_reads.h"

namespace tide {

std::optional<SqueezedLayout> composed(const Layout& inner, const Shape& value,
                                       const SqueezedLayout& outer) {
  if (outer.offset != 0) return {};
  const SqueezedLayout dense{Layout(value)}, seen(inner);
  SqueezedLayout result = outer;
  result.offset = seen.offset;
  for (int d = 0; d < outer.rank; ++d) {
    if (outer.strides[d] == 0) continue;
    int e = 0;
    while (e < dense.rank &&
           (dense.strides[e] != outer.strides[d] || dense.sizes[e] != outer.sizes[d]))
      ++e;
    if (e == dense.rank) return {};
    result.strides[d] = seen.strides[e];
  }
  return result;
}

namespace {

/// An array from which an inlined value is computed, as seen by the loop that computes it.
struct Leaf {
  const Node* node;  ///< null: an index iota
  SqueezedLayout layout;
};

class Inliner {
 public:
  Inliner(const WindowView& window, Grouping& grouping) : window_(window), grouping_(grouping) {
    readers_.resize(window.nodes.size());
    replaced_.assign(window.nodes.size(), false);
    for (uint16_t i = 0; i < window.nodes.size(); ++i) {
      const Node& n = *window.nodes[i];
      for_reads(n, [&](const Argument& argument) {
        if (is_elsewhere(i, argument)) readers_[argument.node->index].push_back({i, &argument});
      });
      if (n.replaces() && is_elsewhere(i, n.arguments[1]))
        replaced_[n.arguments[1].node->index] = true;
    }
  }

  void run() {
    for (uint16_t i = 0; i < window_.nodes.size(); ++i)
      if (grouping_.read_elsewhere[i] && !replaced_[i] && may_be_inlined(i)) try_value(i);
  }

 private:
  struct Reader {
    uint16_t node;
    const Argument* argument;
  };

  bool is_elsewhere(uint16_t i, const Argument& argument) const {
    return argument.node && window_.inside(*argument.node) &&
           grouping_.group_of[argument.node->index] != grouping_.group_of[i];
  }

  bool may_be_inlined(uint16_t i) const {
    const Node& n = *window_.nodes[i];
    return (n.kind == Node::Kind::map || n.kind == Node::Kind::iota) && !n.must_store &&
           n.shape.numel() != 0;
  }

  /// Recomputes value i in all groups that read it, if possible and if that moves less memory.
  void try_value(uint16_t i) {
    const double bytes = static_cast<double>(window_.nodes[i]->bytes());
    double stored = bytes, computed = 0;
    std::vector<std::pair<uint16_t, std::vector<Leaf>>> found;
    for (const Reader& reader : readers_[i]) {
      if (is_looked_up(*window_.nodes[reader.node], *reader.argument)) return;
      const uint16_t g = grouping_.group_of[reader.node];
      const Group& group = grouping_.groups[g];
      if (group.kind != Group::Kind::map && group.kind != Group::Kind::row) return;
      std::vector<Leaf> leaves;
      int cost = 0;
      const SqueezedLayout outer(walked_layout(*window_.nodes[reader.node], *reader.argument));
      if (!add_leaves(i, outer, leaves, cost) || cost > most_cost(group, outer) ||
          !fits(reader.node, group, leaves))
        return;
      stored += bytes;
      for (const Leaf& leaf : leaves)
        if (is_new(group, leaf)) computed += bytes_of(leaf);
      found.emplace_back(g, std::move(leaves));
    }
    if (computed >= stored) return;
    grouping_.read_elsewhere[i] = false;
    for (const auto& [g, leaves] : found) {
      note_computed(i, g);
      for (const Leaf& leaf : leaves) {
        grouping_.groups[g].operands += is_new(grouping_.groups[g], leaf);
        if (leaf.node && window_.inside(*leaf.node))
          grouping_.read_elsewhere[leaf.node->index] = true;
      }
    }
  }

  /// The cost limit of an inlined value: lower if many elements read the same one.
  static int most_cost(const Group& group, const SqueezedLayout& outer) {
    constexpr int kOfSpread = 3;  // iotas and constants
    for (int d = 0; d < outer.rank; ++d) {
      const bool in_row =
          group.kind == Group::Kind::row && d >= group.run_first && d < group.run_last;
      if (outer.strides[d] == 0 && !in_row) return kOfSpread;
    }
    return kCheapCost;
  }

  /// Appends the arrays from which value i is computed when viewed through `outer`, and adds the
  /// cost of its ops; false if it cannot be computed there.
  bool add_leaves(uint16_t i, const SqueezedLayout& outer, std::vector<Leaf>& leaves,
                  int& cost) const {
    const Node& n = *window_.nodes[i];
    cost += cost_of(static_cast<ElementwiseOp>(n.op));
    if (n.kind == Node::Kind::iota) {
      const auto layout = composed(*n.iota, n.shape, outer);
      if (!layout) return false;
      leaves.push_back({nullptr, *layout});
    }
    for (int j = 0; j < n.arity; ++j) {
      const Argument& argument = n.arguments[j];
      if (!argument.node) continue;
      const auto layout = composed(walked_layout(n, argument), n.shape, outer);
      if (!layout) return false;
      if (!is_computed_again(*argument.node))
        leaves.push_back({argument.node.get(), *layout});
      else if (cost > kCheapCost || !may_be_inlined(argument.node->index) ||
               !add_leaves(argument.node->index, *layout, leaves, cost))
        return false;
    }
    return true;
  }

  /// Whether the value is not stored for other groups: reductions and compute ops are stored.
  bool is_computed_again(const Node& node) const {
    return window_.inside(node) && is_loop(node) && node.kind != Node::Kind::reduce &&
           !node.must_store && !grouping_.read_elsewhere[node.index];
  }

  bool fits(uint16_t reader, const Group& group, const std::vector<Leaf>& leaves) const {
    const bool along_row =
        group.kind == Group::Kind::row &&
        (!grouping_.per_row[reader] || window_.nodes[reader]->kind == Node::Kind::reduce);
    int more = 0;
    for (const Leaf& leaf : leaves) {
      const int first = group.run_first, last = group.run_last;
      const bool is_read =
          leaf.node ? leaf.layout.is_row(first, last) : leaf.layout.merges(first, last);
      if (along_row && !is_read) return false;
      more += is_new(group, leaf);
    }
    return group.operands + more <= kMostOperands;
  }

  /// Whether it is an array that no op of the group reads.
  bool is_new(const Group& group, const Leaf& leaf) const {
    return leaf.node && std::none_of(group.members.begin(), group.members.end(), [&](uint16_t m) {
             const Node& n = *window_.nodes[m];
             for (int j = 0; j < read_count(n); ++j)
               if (n.arguments[j].node.get() == leaf.node) return true;
             return false;
           });
  }

  static double bytes_of(const Leaf& leaf) {
    double bytes = static_cast<double>(size_of(leaf.node->type));
    for (int d = 0; d < leaf.layout.rank; ++d)
      if (leaf.layout.strides[d] != 0) bytes *= static_cast<double>(leaf.layout.sizes[d]);
    return bytes;
  }

  /// Records that group g computes value i, and its inputs that are not stored.
  void note_computed(uint16_t i, uint16_t g) {
    grouping_.last_group[i] = std::max(grouping_.last_group[i], g);
    for_reads(*window_.nodes[i], [&](const Argument& argument) {
      if (is_computed_again(*argument.node)) note_computed(argument.node->index, g);
    });
  }

  const WindowView& window_;
  Grouping& grouping_;
  std::vector<std::vector<Reader>> readers_;  ///< per node: readers in other groups
  std::vector<bool> replaced_;  ///< per node: remains if an assignment of another group fails
};

}  // namespace

void inline_cheap_values(const WindowView& window, Grouping& grouping) {
  Inliner(window, grouping).run();
}

}  // namespace tide
