// Between grouping and lowering: cheap values that other loops compute again, so that they are
// never stored.
#pragma once

#include <optional>

#include "runtime/plan/grouping.h"

namespace tide {

/// The layout through which a loop that sees a value through `outer` sees what the value is
/// computed from through `inner`, a layout over the value's shape. None if no strides say that.
std::optional<SqueezedLayout> composed(const Layout& inner, const Shape& value,
                                       const SqueezedLayout& outer);

/// Finds the values of cheap ops that cost less memory traffic where every loop that reads them
/// computes them again, and notes that no other group reads them.
void inline_cheap_values(const WindowView& window, Grouping& grouping);

}  // namespace tide
