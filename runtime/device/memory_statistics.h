// What a device's memory is used for.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/call_site.h"

namespace tide {

struct MemoryStatistics {
  size_t in_use = 0;  ///< bytes of live tensors (blocks handed out)
  size_t peak = 0;    ///< highest in_use since reset_peak
  size_t cached = 0;  ///< bytes kept for reuse
  size_t limit = 0;   ///< 0: none
  /// The variable or function that sets the limit; empty: the device has no more.
  const char* limit_name = "";
  /// Of the device, whoever uses it; 0: the device does not report it.
  size_t device_free = 0, device_total = 0;
  int64_t allocations = 0;         ///< blocks asked for
  int64_t device_allocations = 0;  ///< of them, those that went to the system or driver
};

/// Blocks that are handed out.
struct HeldMemory {
  size_t bytes = 0, blocks = 0;
};

/// What the blocks that a line asked for hold now, and held when the device held most.
struct MemoryHolder {
  CallSite site;  ///< not known: what no script asked for
  HeldMemory now, at_peak;
};

}  // namespace tide
