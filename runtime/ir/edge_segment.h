// How padding makes a dimension of copies of the input's own elements.
#pragma once

#include <cstdint>

namespace tide {

/// `count` places of a padded dimension from `to` on, which show those of the input from `from` on,
/// `step` apart (-1, 0 or 1).
struct EdgeSegment {
  int64_t to, from, count, step;
};

}  // namespace tide
