// The first part of planning: which ops of a window run in one loop.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/core/shape.h"
#include "runtime/plan/plan.h"

namespace tide {

/// Longest row over which a loop makes several passes: it must stay in the cache.
constexpr int64_t kLongestCachedRow = 65536;

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
  /// Dimensions first..last - 1 can be walked with one stride: that of the last of them.
  bool merges(int first, int last) const;
};

/// A run of ops that one step computes.
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

struct Grouping {
  std::vector<Group> groups;         ///< in an order that respects all dependencies
  std::vector<uint16_t> group_of;    ///< per node
  std::vector<bool> per_row;         ///< per node: one value per row of its (row) group
  std::vector<bool> read_elsewhere;  ///< per node: by another group, or left by one that fails
};

Grouping group_window(const WindowView& window);

/// The layout through which `node` sees argument `argument` when it is walked with the node's own
/// loop: broadcast to the node's shape (for reductions: the argument's own shape; for writes the
/// region's).
Layout walked_layout(const Node& node, const Argument& argument);

}  // namespace tide
