// The second part of planning: which results of a window are kept.
#pragma once

#include <vector>

#include "runtime/plan/grouping.h"
#include "runtime/plan/plan.h"

namespace tide {

/// What becomes of each node of the window.
std::vector<Fate> decide_fates(const WindowView& window, const Grouping& grouping);

}  // namespace tide
