// Loops that run on each part of a compute op's result as soon as it is complete.
#pragma once

#include "runtime/plan/plan.h"

namespace tide {

/// Moves a convolution to just before the first loop that reads its result, and marks it
/// (Step::finished_by_next), if that loop reads the result at the positions of its domain, in
/// order, and reduces nothing. The loop then also takes over the memory of a result that nothing
/// else reads. For devices whose streams can do that (Capabilities::finishing_loops).
void find_finishing_loops(const WindowView& window, Plan& plan);

}  // namespace tide
