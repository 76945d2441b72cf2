// The reasons of the planner and of windows, as sentences.
#pragma once

#include <string>

#include "runtime/plan/fates.h"
#include "runtime/plan/grouping.h"
#include "runtime/record/flush_observer.h"

namespace tide {

/// Why the window was flushed: "matmul cuts the window".
std::string reason_text(const FlushCause& cause);
/// Why the op could not join a group: "it shares no data with the other".
std::string reason_text(const WindowView& window, const Grouping& grouping, const Refused& refused);
/// Why the result is stored; empty if it is not.
std::string reason_text(Kept kept);

}  // namespace tide
