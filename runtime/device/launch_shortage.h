// The error of a launch that can be retried.
#pragma once

#include "runtime/types/error.h"

namespace tide {

/// A launch that has not begun, because the device has no memory for it: it can be retried.
class LaunchShortage : public MemoryError {
 public:
  using MemoryError::MemoryError;
};

}  // namespace tide
