// How much a step moves and computes.
#pragma once

#include <cstdint>

#include "runtime/plan/plan.h"

namespace tide {

struct StepWork {
  int64_t bytes = 0;  ///< read and written, each element once
  /// Operations on numbers: two for each multiplication and addition of a product, a convolution,
  /// an attention or a recurrence; one for each elementwise op and element, and for each element
  /// that is reduced. Of other compute ops they are not counted.
  double flops = 0;
};

StepWork work_of(const Step& step);

}  // namespace tide
