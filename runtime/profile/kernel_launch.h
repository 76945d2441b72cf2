// The launch configuration of a GPU kernel, and the share of the device that it uses.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

namespace tide::profile {

struct KernelLaunch {
  int64_t blocks = 0;
  int threads = 0;           ///< per block
  int registers = 0;         ///< per thread
  int64_t shared_bytes = 0;  ///< per block
  int resident_blocks = 0;   ///< most blocks of this kernel per multiprocessor at a time
  int multiprocessors = 0;   ///< of the device
  int most_threads = 0;      ///< most per multiprocessor at a time
  int64_t loops = 1;         ///< that it computes, if it serves a batch

  /// The share of the multiprocessors that get a block.
  double use() const {
    return static_cast<double>(std::min<int64_t>(blocks, multiprocessors)) / multiprocessors;
  }
  /// The share of a multiprocessor's threads that blocks of this kernel can occupy.
  double occupancy() const { return static_cast<double>(resident_blocks) * threads / most_threads; }

  friend auto operator<=>(const KernelLaunch& a, const KernelLaunch& b) = default;
};

/// Returns the unique copy, which lives as long as the process. Callable from any thread.
const KernelLaunch* keep_launch(const KernelLaunch& launch);

}  // namespace tide::profile
