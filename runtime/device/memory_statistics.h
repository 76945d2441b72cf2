// The use of a device's memory.
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
  /// The variable or function that sets the limit; empty: the device's capacity.
  const char* limit_name = "";
  /// Of the device, including other processes; 0: the device does not report it.
  size_t device_free = 0, device_total = 0;
  int64_t allocations = 0;         ///< blocks requested
  int64_t device_allocations = 0;  ///< those of them requested from the system or driver
};

/// Blocks in use.
struct HeldMemory {
  size_t bytes = 0, blocks = 0;
};

/// Memory of the blocks that a line allocated, now and at the device's peak.
struct MemoryHolder {
  CallSite site;  ///< not known: not allocated by a script
  HeldMemory now, at_peak;
};

}  // namespace tide
