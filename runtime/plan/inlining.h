// Between grouping and lowering: cheap values that other loops recompute, so that they are never
// stored.
#pragma once

#include <optional>

#include "runtime/plan/grouping.h"

namespace tide {

/// Composes layouts: `inner` maps a value's shape to an input, `outer` is a loop's view of the
/// value; the result is the loop's view of the input. None if no strides can express it.
std::optional<SqueezedLayout> composed(const Layout& inner, const Shape& value,
                                       const SqueezedLayout& outer);

/// Finds values of cheap ops that cost less memory traffic if every loop that reads them recomputes
/// them, and marks them as not read by other groups.
void inline_cheap_values(const WindowView& window, Grouping& grouping);

}  // namespace tide
