// The second part of planning: which results of a window are kept.
#pragma once

#include <vector>

#include "runtime/plan/grouping.h"
#include "runtime/plan/plan.h"

namespace tide {

/// Why a result of a loop is stored.
enum class Kept : uint8_t {
  no,            ///< it is not, or only while the plan runs
  unread,        ///< nothing in the window reads it: whoever holds it may
  wanted,        ///< it was not stored before, and then asked for
  reduction,     ///< computing it again would take a whole pass
  last_of_cell,  ///< it is what a tensor was given last in place
  holds_much,    ///< computing it again would need inputs that are large beside it, or many
  whole          ///< it is no loop's: a compute op's, a write's, or empty
};

/// What becomes of each node of the window. `kept`: if not null, filled with why.
std::vector<Fate> decide_fates(const WindowView& window, const Grouping& grouping,
                               std::vector<Kept>* kept = nullptr);

}  // namespace tide
