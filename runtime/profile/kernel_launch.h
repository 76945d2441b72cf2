// How a kernel of a GPU was launched, and how much of the device that takes up.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

namespace tide::profile {

struct KernelLaunch {
  int64_t blocks = 0;
  int threads = 0;           ///< of a block
  int registers = 0;         ///< of a thread
  int64_t shared_bytes = 0;  ///< of a block
  int resident_blocks = 0;   ///< of this kernel, that a multiprocessor holds at once
  int multiprocessors = 0;   ///< of the device
  int most_threads = 0;      ///< that a multiprocessor holds at once
  int64_t loops = 1;         ///< that it serves: those of a batch

  /// The share of the multiprocessors that get a block.
  double use() const {
    return static_cast<double>(std::min<int64_t>(blocks, multiprocessors)) / multiprocessors;
  }
  /// The share of a multiprocessor's threads that blocks of this kernel can be.
  double occupancy() const { return static_cast<double>(resident_blocks) * threads / most_threads; }

  friend auto operator<=>(const KernelLaunch& a, const KernelLaunch& b) = default;
};

/// The one copy of it, which lives as long as the process. From any thread.
const KernelLaunch* keep_launch(const KernelLaunch& launch);

}  // namespace tide::profile
