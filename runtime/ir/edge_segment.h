// How padding builds a dimension from copies of the input's own elements.
#pragma once

#include <cstdint>

namespace tide {

/// `count` positions of a padded dimension from `to` on, copied from the input's positions from
/// `from` on, `step` apart (-1, 0 or 1).
struct EdgeSegment {
  int64_t to, from, count, step;
};

}  // namespace tide
