// The second part of planning: which results of a window are kept.
#pragma once

#include <vector>

#include "runtime/plan/grouping.h"
#include "runtime/plan/plan.h"

namespace tide {

/// Why a result of a loop is stored.
enum class Kept : uint8_t {
  no,            ///< it is not, or only while the plan runs
  unread,        ///< nothing in the window reads it, so it is read later or not at all
  wanted,        ///< it was not stored before, and then requested
  reduction,     ///< recomputing it would take an entire pass
  last_of_cell,  ///< it is the last value assigned to a tensor in place
  holds_much,    ///< recomputing it would need inputs that are relatively large, or many
  whole          ///< not from a loop: a compute op's result, a write's, or empty
};

/// The fate of each node of the window. `kept`: if not null, receives the reasons.
std::vector<Fate> decide_fates(const WindowView& window, const Grouping& grouping,
                               std::vector<Kept>* kept = nullptr);

}  // namespace tide
