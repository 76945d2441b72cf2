// The first part of planning: which ops of a window run in one loop.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/types/shape.h"

namespace tide {

/// Longest row over which a loop makes several passes: it must fit the cache.
constexpr int64_t kLongestCachedRow = 65536;
/// Limit on the arrays that a loop reads or certainly writes.
constexpr int kMostOperands = 24;
/// Limit on the reductions of a group that only share an input: a longer loop saves little more
/// reading, takes long to compile, and its rows do not fit the cache.
constexpr int kMostSiblings = 4;

/// Strides over the dimensions of a shape that are not of size 1.
struct SqueezedLayout {
  int rank = 0;
  std::array<int64_t, kMaxDims> sizes;
  std::array<int64_t, kMaxDims> strides;
  int64_t offset = 0;

  explicit SqueezedLayout(const Layout& layout);
  bool same_sizes(const SqueezedLayout& other) const;
  /// Row-major without gaps from offset 0.
  bool is_dense() const;
  /// Whether dimensions first..last - 1 can be walked with one stride: that of the last one.
  bool merges(int first, int last) const;
  /// Whether a loop can read dimensions first..last - 1 as its row: with one stride, or with one
  /// per dimension if vectors run along the last one and find neighbours there.
  bool is_row(int first, int last) const {
    return merges(first, last) || (last == rank && std::abs(strides[rank - 1]) <= 1);
  }
};

/// A set of ops computed by one step.
struct Group {
  enum class Kind : uint8_t { map, row, region, compute, nothing };
  Kind kind = Kind::map;
  SqueezedLayout domain{Layout(Shape{})};  ///< sizes only
  int run_first = 0, run_last = 0;  ///< row groups: squeezed dimensions of the row, end excluded
  int64_t row_length = 1;
  int reductions = 0;
  int operands = 0;  ///< arrays that are read, or certainly written
  std::vector<uint16_t> members;

  bool long_row() const { return row_length > kLongestCachedRow; }
};

/// Why an op could not join a group.
enum class Refusal : uint8_t {
  none,
  compute_op,  ///< one of them is a compute op
  region,      ///< one of them writes to part of a value
  order,       ///< the op needs values computed after the group
  unrelated,   ///< they share no data
  sizes,       ///< they iterate over different sizes
  view,        ///< the op reads the group's results in another order, in part, or at positions
  row_view,    ///< along the group's row an array has several strides, without neighbours
  rows,        ///< the op reduces along other dimensions than the group
  reduced,     ///< the op reduces a value the group has already reduced
  long_row,    ///< the row is longer than kLongestCachedRow: no second pass over it
  operands,    ///< together they have more than kMostOperands
  siblings     ///< the group has kMostSiblings reductions
};

/// An op that started a group, and an earlier group that it could not join although they share
/// data; if there is none, the last loop before.
struct Refused {
  uint16_t node;
  uint16_t group;
  Refusal refusal;
};

struct Grouping {
  std::vector<Group> groups;         ///< in an order that respects all dependencies
  std::vector<uint16_t> group_of;    ///< per node
  std::vector<uint16_t> last_group;  ///< per node: the last group that computes it
  std::vector<bool> per_row;         ///< per node: one value per row of its (row) group
  std::vector<bool> read_elsewhere;  ///< per node: by another group, or as its fallback
};

/// `refused`: if not null, receives the groups that ops could not join.
Grouping group_window(const WindowView& window, std::vector<Refused>* refused = nullptr);

/// The layout through which the loop of `node` reads `argument`: broadcast to the node's shape (for
/// reductions: the argument's own shape; for writes the region's).
Layout walked_layout(const Node& node, const Argument& argument);

}  // namespace tide
