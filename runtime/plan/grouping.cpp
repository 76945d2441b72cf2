// Greedy fusion: each op joins the last group that can take it and follows its inputs, and merges
// the loops that it reads if possible.
#include "runtime/plan/grouping.h"

#include <algorithm>

#include "runtime/plan/inlining.h"
#include "runtime/plan/node_reads.h"

namespace tide {

SqueezedLayout::SqueezedLayout(const Layout& layout) : offset(layout.offset) {
  for (int d = 0; d < layout.rank(); ++d) {
    if (layout.shape[d] == 1) continue;
    sizes[rank] = layout.shape[d];
    strides[rank++] = layout.strides[d];
  }
}

bool SqueezedLayout::same_sizes(const SqueezedLayout& other) const {
  return rank == other.rank && std::equal(sizes.begin(), sizes.begin() + rank, other.sizes.begin());
}

bool SqueezedLayout::is_dense() const {
  int64_t stride = 1;
  for (int d = rank - 1; d >= 0; --d) {
    if (strides[d] != stride) return false;
    stride *= sizes[d];
  }
  return offset == 0;
}

bool SqueezedLayout::merges(int first, int last) const {
  for (int d = first; d + 1 < last; ++d)
    if (strides[d] != strides[d + 1] * sizes[d + 1]) return false;
  return true;
}

Layout walked_layout(const Node& node, const Argument& argument) {
  Layout layout = argument.view ? *argument.view : Layout(argument.node->shape);
  if (node.kind == Node::Kind::reduce || node.kind == Node::Kind::compute) return layout;
  const Shape& shape = node.kind == Node::Kind::write ? node.iota->shape : node.shape;
  return layout.shape == shape ? layout : layout.broadcast_to(shape);
}

namespace {

/// Squeezed dimensions first..last - 1 of a run of dimensions of `shape`.
std::pair<int, int> squeezed_run(const Shape& shape, int first, int last) {
  int from = 0, to = 0;
  for (int d = 0; d <= last; ++d) {
    if (d == first) from = to;
    if (shape[d] != 1) ++to;
  }
  return {from, to};
}

/// In group_of: no group.
constexpr uint16_t kNowhere = 0xffff;

class Grouper {
 public:
  Grouper(const WindowView& window, std::vector<Refused>* refused)
      : window_(window), refused_(refused) {
    const size_t n = window.nodes.size();
    result_.group_of.assign(n, kNowhere);
    result_.per_row.assign(n, false);
    result_.read_elsewhere.assign(n, false);
  }

  Grouping run() {
    for (size_t i = 0; i < window_.nodes.size(); ++i) place(static_cast<uint16_t>(i));
    note_reads();
    result_.last_group = result_.group_of;
    inline_cheap_values(window_, result_);
    return std::move(result_);
  }

 private:
  const Node& node(uint16_t i) const { return *window_.nodes[i]; }
  bool inside(const Argument& argument) const {
    return argument.node && window_.inside(*argument.node);
  }

  void place(uint16_t i) {
    const Node& n = node(i);
    if (n.kind == Node::Kind::part) {
      result_.group_of[i] = result_.group_of[n.arguments[0].node->index];
      result_.groups[result_.group_of[i]].members.push_back(i);
      return;
    }
    const bool loop = is_loop(n) && n.shape.numel() != 0;
    size_t earliest = 0;
    for_reads(n, [&](const Argument& argument) {
      if (!inside(argument)) return;
      const uint16_t group = result_.group_of[argument.node->index];
      const bool may_share = loop && is_loop_group(group) && !is_looked_up(n, argument);
      earliest = std::max<size_t>(earliest, may_share ? group : group + 1);
    });
    if (n.replaces() && inside(n.arguments[1])) {
      // The replaced value must exist before, in case this fails; at the earliest it is computed by
      // the same loop.
      const uint16_t group = result_.group_of[n.arguments[1].node->index];
      earliest = std::max<size_t>(earliest, loop && is_loop_group(group) ? group : group + 1);
    }
    if (loop) {
      for (size_t g = result_.groups.size(); g-- > earliest;) {
        if (join(g, i) == Refusal::none) {
          enter(g, i);
          return merge_around(i);
        }
      }
    }
    open(i, loop);
    if (loop) merge_around(i);
    if (refused_) note_refusals(i, earliest);
  }

  // --- merging loops -----------------------------------------------------------------------------

  /// Tries to merge the loop of op i, which has just been placed, with others. A loop that has
  /// become a row loop may also take in per-row ops.
  void merge_around(uint16_t i) {
    if (node(i).kind != Node::Kind::reduce) return merge_what_is_read(i);
    const auto members = result_.groups[result_.group_of[i]].members;
    for (const uint16_t member : members) merge_what_is_read(member);
  }

  /// Merges the loop of op i with loops that it reads from, which previously shared no data.
  void merge_what_is_read(uint16_t i) {
    for_reads(node(i), [&](const Argument& argument) {
      if (!inside(argument)) return;
      const size_t own = result_.group_of[i], other = result_.group_of[argument.node->index];
      if (other != own) merge(other, own);
    });
  }

  /// Merges two loops, if that is valid: at the position of the later one, or of the earlier one if
  /// required by groups between them.
  void merge(size_t first, size_t last) {
    auto& groups = result_.groups;
    if (!is_loop_group(first) || !is_loop_group(last) || !suit(groups[first], groups[last])) return;
    bool later = true, earlier = true;
    for (size_t g = first + 1; g < last; ++g) {
      later = later && !needs(g, first) && !overwrites(g, first);
      earlier = earlier && !needs(last, g);
    }
    if (!later && !earlier) return;
    const size_t place = later ? last : first, gone = later ? first : last;
    if (!join_all(first, last, place)) return;
    groups.erase(groups.begin() + static_cast<ptrdiff_t>(gone));
    const auto renumber = [&](uint16_t& group) {
      if (group == gone) group = static_cast<uint16_t>(place);
      if (group > gone) --group;
    };
    for (uint16_t& group : result_.group_of)
      if (group != kNowhere) renumber(group);
    if (!refused_) return;
    for (Refused& refused : *refused_) renumber(refused.group);
    std::erase_if(*refused_, [&](const Refused& refused) {
      return result_.group_of[refused.node] == refused.group;
    });
  }

  /// Whether two loops iterate over the same sizes, or one over the rows of the other.
  static bool suit(const Group& a, const Group& b) {
    const auto walks_rows = [](const Group& rows, const Group& values) {
      return rows.kind == Group::Kind::row && has_row_sizes(rows, values.domain);
    };
    return a.domain.same_sizes(b.domain) || walks_rows(a, b) || walks_rows(b, a);
  }

  /// Merges the ops of two groups into a new one at `place`, in order; if one of them does not fit,
  /// nothing changes.
  bool join_all(size_t first, size_t last, size_t place) {
    auto& groups = result_.groups;
    const Group before[] = {groups[first], groups[last]};
    const Group& shape = before[before[1].kind == Group::Kind::row];
    std::vector<uint16_t> members;
    std::merge(before[0].members.begin(), before[0].members.end(), before[1].members.begin(),
               before[1].members.end(), std::back_inserter(members));
    std::vector<bool> per_row;
    for (const uint16_t i : members) {
      per_row.push_back(result_.per_row[i]);
      result_.per_row[i] = false;
      result_.group_of[i] = kNowhere;
    }
    Group& joined = groups[place] = shape;
    joined.reductions = joined.operands = 0;
    joined.members.clear();
    related_ = true;
    const bool fits = std::all_of(members.begin(), members.end(), [&](uint16_t i) {
      if (join(place, i) != Refusal::none) return false;
      enter(place, i);
      return true;
    });
    related_ = false;
    if (fits) return true;
    for (size_t k = 0; k < members.size(); ++k) result_.per_row[members[k]] = per_row[k];
    for (const size_t g : {first, last}) {
      groups[g] = before[g == last];
      for (const uint16_t i : groups[g].members) result_.group_of[i] = static_cast<uint16_t>(g);
    }
    return false;
  }

  /// Whether group g reads, or replaces, results of group `other`.
  bool needs(size_t g, size_t other) const {
    bool found = false;
    for (const uint16_t i : result_.groups[g].members) {
      const auto look = [&](const Argument& argument) {
        found = found || (argument.node && in_group(other, argument));
      };
      for_reads(node(i), look);
      if (node(i).replaces()) look(node(i).arguments[1]);
    }
    return found;
  }

  /// Whether group g writes in place to part of a value that group `other` reads.
  bool overwrites(size_t g, size_t other) const {
    const Group& group = result_.groups[g];
    return group.kind == Group::Kind::region &&
           shares_external(result_.groups[other], node(group.members[0]).arguments[1]);
  }

  // --- refusals ----------------------------------------------------------------------------------

  /// For an op that has started the last group. Joining the other groups fails again, so that
  /// retrying has no side effects.
  void note_refusals(uint16_t i, size_t earliest) {
    const size_t own = result_.group_of[i], noted = refused_->size();
    const auto refuse = [&](size_t g, Refusal refusal) {
      refused_->push_back({i, static_cast<uint16_t>(g), refusal});
    };
    for (size_t g = own; g-- > 0;)
      if (shares_data(g, i)) refuse(g, refusal_of(g, i, earliest));
    if (refused_->size() > noted || !is_loop_group(own)) return;
    for (size_t g = own; g-- > 0;)
      if (is_loop_group(g)) return refuse(g, Refusal::unrelated);
  }

  /// Whether op i reads a result of group g, or both are loops that read the same value.
  bool shares_data(size_t g, uint16_t i) const {
    const bool loops = is_loop_group(g) && is_loop_group(result_.group_of[i]);
    bool shares = false;
    for_reads(node(i), [&](const Argument& argument) {
      shares = shares || in_group(g, argument) ||
               (loops && shares_external(result_.groups[g], argument));
    });
    return shares;
  }

  Refusal refusal_of(size_t g, uint16_t i, size_t earliest) {
    const auto is_either = [&](Group::Kind kind) {
      return result_.groups[g].kind == kind || result_.groups[result_.group_of[i]].kind == kind;
    };
    if (is_either(Group::Kind::compute)) return Refusal::compute_op;
    if (is_either(Group::Kind::region)) return Refusal::region;
    if (is_either(Group::Kind::nothing)) return Refusal::sizes;
    return g < earliest ? Refusal::order : join(g, i);
  }

  Refusal join(size_t g, uint16_t i) {
    return node(i).kind == Node::Kind::reduce ? join_reduce(g, i) : join_map(g, i);
  }

  bool is_loop_group(size_t g) const {
    const Group::Kind kind = result_.groups[g].kind;
    return kind == Group::Kind::map || kind == Group::Kind::row;
  }

  void enter(size_t g, uint16_t i) {
    Group& group = result_.groups[g];
    group.operands += new_operands(g, i);
    group.members.push_back(i);
    result_.group_of[i] = static_cast<uint16_t>(g);
    if (node(i).kind == Node::Kind::reduce) {
      ++group.reductions;
      result_.per_row[i] = true;
    }
  }

  void open(uint16_t i, bool loop) {
    const Node& n = node(i);
    Group group;
    if (n.kind == Node::Kind::compute)
      group.kind = Group::Kind::compute;
    else if (n.kind == Node::Kind::write)
      group.kind = Group::Kind::region;
    else if (!loop)
      group.kind = Group::Kind::nothing;
    else if (n.kind == Node::Kind::reduce) {
      const Layout layout = walked_layout(n, n.arguments[0]);
      group.domain = SqueezedLayout(layout);
      make_row(group, layout.shape, n);
    } else {
      group.domain = SqueezedLayout(Layout(n.shape));
    }
    result_.groups.push_back(std::move(group));
    enter(result_.groups.size() - 1, i);
  }

  static void make_row(Group& group, const Shape& shape, const Node& reduce) {
    group.kind = Group::Kind::row;
    std::tie(group.run_first, group.run_last) = squeezed_run(shape, reduce.first, reduce.last);
    group.row_length = 1;
    for (int d = group.run_first; d < group.run_last; ++d)
      group.row_length *= group.domain.sizes[d];
  }

  bool shares_external(const Group& group, const Argument& argument) const {
    for (uint16_t m : group.members)
      for (int j = 0; j < read_count(node(m)); ++j)
        if (node(m).arguments[j].node == argument.node) return true;
    return false;
  }

  /// Whether op i, which reads the argument, shares it with the group and therefore belongs to its
  /// loop. A scalar that all elements read does not count if loops of one kernel are launched as
  /// one: separate loops that scale arrays share a kernel.
  bool is_tied_to(const Group& group, uint16_t i, const Argument& argument) const {
    const bool is_number = argument.node->shape.numel() == 1 && node(i).shape.numel() > 1;
    return !(window_.batches && is_number) && shares_external(group, argument);
  }

  bool in_group(size_t g, const Argument& argument) const {
    return inside(argument) && result_.group_of[argument.node->index] == g;
  }

  Refusal join_map(size_t g, uint16_t i) {
    Group& group = result_.groups[g];
    const int more = new_operands(g, i);
    if (more > 0 && group.operands + more > kMostOperands && group.members.size() > 1)
      return Refusal::operands;
    if (group.kind == Group::Kind::map) return join_map_group(g, i);
    if (group.kind != Group::Kind::row) return Refusal::compute_op;
    const Refusal per_element = join_per_element(g, i);
    if (per_element == Refusal::none) return Refusal::none;
    const Refusal per_row = join_per_row(g, i);
    return per_row == Refusal::none || per_element == Refusal::sizes ? per_row : per_element;
  }

  /// Number of arrays that node i would add to those that group g reads, or certainly writes.
  int new_operands(size_t g, uint16_t i) const {
    int count = node(i).must_store ? 1 : 0;
    for_reads(node(i), [&](const Argument& argument) {
      if (!in_group(g, argument) && !shares_external(result_.groups[g], argument)) ++count;
    });
    return count;
  }

  Refusal join_map_group(size_t g, uint16_t i) {
    const Group& group = result_.groups[g];
    const Node& n = node(i);
    if (!SqueezedLayout(Layout(n.shape)).same_sizes(group.domain)) return Refusal::sizes;
    bool fits = true, connected = related_;
    for_reads(n, [&](const Argument& argument) {
      if (in_group(g, argument)) {
        connected = true;
        fits = fits && is_read_in_order(n, argument);
      } else {
        connected = connected || is_tied_to(group, i, argument);
      }
    });
    if (!connected) return Refusal::unrelated;
    return fits ? Refusal::none : Refusal::view;
  }

  Refusal join_per_element(size_t g, uint16_t i) {
    const Group& group = result_.groups[g];
    const Node& n = node(i);
    if (!SqueezedLayout(Layout(n.shape)).same_sizes(group.domain)) return Refusal::sizes;
    // After the reduction of a long row, its elements would have to be read from memory again.
    if (group.long_row() && depends_on_row(g, i)) return Refusal::long_row;
    bool row_fits = true, fits = true, connected = related_ && !group.long_row();
    for_reads(n, [&](const Argument& argument) {
      const SqueezedLayout layout(walked_layout(n, argument));
      if (!in_group(g, argument)) {
        row_fits = row_fits && is_row(n, argument, group.run_first, group.run_last);
        // A long row could not take in a reduction that may follow.
        connected = connected || (!group.long_row() && is_tied_to(group, i, argument));
      } else if (result_.per_row[argument.node->index]) {
        connected = true;
        fits = fits && !is_looked_up(n, argument) && spreads_over_row(group, layout);
      } else {
        connected = true;
        fits = fits && is_read_in_order(n, argument);
      }
    });
    if (n.kind == Node::Kind::iota)
      row_fits = row_fits && SqueezedLayout(*n.iota).merges(group.run_first, group.run_last);
    if (!connected) return group.long_row() ? Refusal::long_row : Refusal::unrelated;
    if (!fits) return Refusal::view;
    return row_fits ? Refusal::none : Refusal::row_view;
  }

  /// Whether the node reads each element of the argument for its own element at the same index.
  static bool is_read_in_order(const Node& n, const Argument& argument) {
    return !is_looked_up(n, argument) && SqueezedLayout(walked_layout(n, argument)).is_dense();
  }

  /// Whether a loop whose row are these dimensions can read the argument from memory.
  static bool is_row(const Node& n, const Argument& argument, int first, int last) {
    const SqueezedLayout layout(walked_layout(n, argument));
    return is_looked_up(n, argument) ? layout.merges(first, last) : layout.is_row(first, last);
  }

  bool depends_on_row(size_t g, uint16_t i) const {
    bool depends = false;
    for_reads(node(i), [&](const Argument& argument) {
      depends = depends || (in_group(g, argument) && result_.per_row[argument.node->index]);
    });
    return depends;
  }

  Refusal join_per_row(size_t g, uint16_t i) {
    const Group& group = result_.groups[g];
    const Node& n = node(i);
    const SqueezedLayout own{Layout(n.shape)};
    if (!has_row_sizes(group, own)) return Refusal::sizes;
    bool fits = true, connected = related_;
    for_reads(n, [&](const Argument& argument) {
      if (!in_group(g, argument)) return;
      connected = true;
      fits = fits && result_.per_row[argument.node->index] && is_read_in_order(n, argument);
    });
    if (!connected) return Refusal::unrelated;
    if (!fits) return Refusal::view;
    result_.per_row[i] = true;
    return Refusal::none;
  }

  /// Whether the sizes equal those of the group's domain without its row.
  static bool has_row_sizes(const Group& group, const SqueezedLayout& layout) {
    if (layout.rank != group.domain.rank - (group.run_last - group.run_first)) return false;
    for (int d = 0; d < layout.rank; ++d)
      if (layout.sizes[d] !=
          group.domain.sizes[d < group.run_first ? d : d + group.run_last - group.run_first])
        return false;
    return true;
  }

  /// Whether a layout over the domain reads a value per row, stored densely, for each element.
  static bool spreads_over_row(const Group& group, const SqueezedLayout& layout) {
    int64_t stride = 1;
    for (int d = layout.rank - 1; d >= 0; --d) {
      const bool in_row = d >= group.run_first && d < group.run_last;
      if (layout.strides[d] != (in_row ? 0 : stride)) return false;
      if (!in_row) stride *= layout.sizes[d];
    }
    return layout.offset == 0;
  }

  Refusal join_reduce(size_t g, uint16_t i) {
    Group& group = result_.groups[g];
    if (!is_loop_group(g)) return Refusal::compute_op;
    const Node& n = node(i);
    const Argument& argument = n.arguments[0];
    const Layout layout = walked_layout(n, argument);
    const SqueezedLayout squeezed(layout);
    if (!squeezed.same_sizes(group.domain)) return Refusal::sizes;
    const auto [first, last] = squeezed_run(layout.shape, n.first, n.last);
    if (in_group(g, argument)) {
      if (result_.per_row[argument.node->index]) return Refusal::reduced;
      if (!squeezed.is_dense()) return Refusal::view;
    } else {
      if (!related_ && !shares_external(group, argument)) return Refusal::unrelated;
      if (!squeezed.is_row(first, last)) return Refusal::row_view;
      if (group.reductions >= kMostSiblings) return Refusal::siblings;
    }
    if (group.kind == Group::Kind::row) {
      if (group.run_first != first || group.run_last != last) return Refusal::rows;
      // A long row is split into blocks, which works for one reduction at a time.
      return group.long_row() ? Refusal::long_row : Refusal::none;
    }
    for (uint16_t m : group.members) {
      bool fits = true;
      for_reads(node(m), [&](const Argument& read) {
        if (!in_group(g, read)) fits = fits && is_row(node(m), read, first, last);
      });
      if (node(m).kind == Node::Kind::iota)
        fits = fits && SqueezedLayout(*node(m).iota).merges(first, last);
      if (!fits) return Refusal::row_view;
    }
    make_row(group, layout.shape, n);
    return Refusal::none;
  }

  void note_reads() {
    for (uint16_t i = 0; i < window_.nodes.size(); ++i) {
      const auto note = [&](const Argument& argument) {
        if (inside(argument) && !in_group(result_.group_of[i], argument))
          result_.read_elsewhere[argument.node->index] = true;
      };
      for_reads(node(i), note);
      if (node(i).replaces()) note(node(i).arguments[1]);  // it remains if this fails
    }
  }

  const WindowView& window_;
  std::vector<Refused>* const refused_;
  /// The op being placed belongs to the group, even if they share no data.
  bool related_ = false;
  Grouping result_;
};

}  // namespace

Grouping group_window(const WindowView& window, std::vector<Refused>* refused) {
  return Grouper(window, refused).run();
}

}  // namespace tide
