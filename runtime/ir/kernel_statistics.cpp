#include "runtime/ir/kernel_statistics.h"

namespace tide {

constinit KernelCounters kernel_counters;

KernelStatistics kernel_statistics() {
  const KernelCounters& now = kernel_counters;
  return {.kernels = now.kernels,
          .compiled = now.compiled,
          .from_disk = now.from_disk,
          .compile_seconds = static_cast<double>(now.compile_nanoseconds) * 1e-9,
          .lookup_seconds = static_cast<double>(now.lookup_nanoseconds) * 1e-9};
}

}  // namespace tide
