// Statistics of the generated kernels of this process.
#pragma once

#include <atomic>
#include <cstdint>

namespace tide {

/// Statistics of the kernel cache in this process.
struct KernelStatistics {
  int64_t kernels = 0;   ///< structures requested
  int64_t compiled = 0;  ///< by the plugin
  int64_t from_disk = 0;
  double compile_seconds = 0;  ///< spent compiling, including loading the plugin
  double lookup_seconds = 0;   ///< spent looking on disk, whether found or not
};
KernelStatistics kernel_statistics();

/// Counters that kernel lookup and compilation update.
struct KernelCounters {
  std::atomic<int64_t> kernels{0}, compiled{0}, from_disk{0};
  std::atomic<int64_t> compile_nanoseconds{0}, lookup_nanoseconds{0};
};
extern KernelCounters kernel_counters;

}  // namespace tide
