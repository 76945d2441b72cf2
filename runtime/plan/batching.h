// The last part of planning: independent loops of one kernel become adjacent, so that a device can
// launch them as one.
#pragma once

#include "runtime/plan/plan.h"

namespace tide {

/// The fewest loops of one kernel worth a batched launch, which needs its own compilation.
constexpr size_t kFewestBatched = 4;
/// Limit on the temporary results of a batch in bytes, because all of them are live together.
constexpr size_t kMostBatchedBytes = size_t{32} << 20;

/// Orders the steps of a plan and numbers its batches (Step::batch). A loop moves forward to the
/// last batch of its kernel if it needs nothing from there on, and replaces nothing that is needed
/// there. The order depends only on the window's structure. Must run before Step::releases are set.
void batch_steps(const WindowView& window, Plan& plan);

}  // namespace tide
