// The last part of planning: loops of one kernel on independent data become neighbours, so that a
// device can launch them as one.
#pragma once

#include "runtime/plan/plan.h"

namespace tide {

/// Loops of one kernel that are worth a launch of their own form: it is compiled for them.
constexpr size_t kFewestBatched = 4;
/// Bytes of temporary results that the loops of a batch may make: all of them are there at once.
constexpr size_t kMostBatchedBytes = size_t{32} << 20;

/// Orders the steps of a plan and numbers its batches (Step::batch). A loop moves forward to the
/// last batch of its kernel if it needs nothing from there on, and replaces nothing that is needed
/// there. The order depends on the window's structure alone. Comes before Step::releases are known.
void batch_steps(const WindowView& window, Plan& plan);

}  // namespace tide
