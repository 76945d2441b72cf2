// What the generated kernels of this process have cost.
#pragma once

#include <atomic>
#include <cstdint>

namespace tide {

/// What the kernel cache has done in this process.
struct KernelStatistics {
  int64_t kernels = 0;   ///< structures asked for
  int64_t compiled = 0;  ///< by the plugin
  int64_t from_disk = 0;
  double compile_seconds = 0;  ///< spent compiling, plugin loading included
  double lookup_seconds = 0;   ///< spent looking on disk, whether found there or not
};
KernelStatistics kernel_statistics();

/// Where those who find and make kernels count.
struct KernelCounters {
  std::atomic<int64_t> kernels{0}, compiled{0}, from_disk{0};
  std::atomic<int64_t> compile_nanoseconds{0}, lookup_nanoseconds{0};
};
extern KernelCounters kernel_counters;

}  // namespace tide
