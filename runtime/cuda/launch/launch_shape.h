// Chooses the blocks and threads of a launch by the size of the work and the occupancy of the
// device. Results do not depend on it: each thread loops over units of work.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tide::cuda {

/// The occupancy of a device by one kernel.
struct KernelResidency {
  int multiprocessors = 1;
  int blocks = 1;           ///< resident blocks per multiprocessor
  int threads = 1;          ///< per block
  size_t shared_bytes = 0;  ///< dynamic shared memory per block
};

struct LaunchShape {
  unsigned blocks, threads;
  unsigned shared_bytes = 0;  ///< dynamic shared memory per block
  bool operator==(const LaunchShape&) const = default;
};

inline int64_t rounded_up_quotient(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The number of turns of each block for work that fills `wanted` blocks. If that exceeds the
/// device's capacity several times, each block takes the same number of turns: starting a block
/// costs as much as a short turn, and with unequal turns the last one would leave the device half
/// empty.
inline int64_t launch_turns(int64_t wanted, const KernelResidency& residency) {
  // Several times the capacity, so that multiprocessors that finish early take the remaining
  // blocks.
  constexpr int64_t kTimesOver = 8;
  const int64_t most = kTimesOver * residency.multiprocessors * std::max(residency.blocks, 1);
  return std::max<int64_t>(rounded_up_quotient(wanted, most), 1);
}

/// The launch for work that fills `wanted` blocks of residency.threads.
inline LaunchShape launch_blocks(int64_t wanted, const KernelResidency& residency) {
  return {static_cast<unsigned>(rounded_up_quotient(wanted, launch_turns(wanted, residency))),
          static_cast<unsigned>(residency.threads), static_cast<unsigned>(residency.shared_bytes)};
}

/// The residency for `units` of work, one per thread. For little work, blocks are made smaller
/// until every multiprocessor gets one: each adds memory bandwidth.
inline KernelResidency cut_blocks(int64_t units, const KernelResidency& residency) {
  constexpr int kFewest = 64;
  KernelResidency cut = residency;
  while (cut.threads >= 2 * kFewest &&
         units <= int64_t{cut.threads / 2} * residency.multiprocessors) {
    cut.threads /= 2;
    cut.blocks *= 2;
  }
  return cut;
}

/// The launch of blocks of up to residency.threads for `units` of work, one per thread.
inline LaunchShape launch_threads(int64_t units, const KernelResidency& residency) {
  const KernelResidency cut = cut_blocks(units, residency);
  return launch_blocks(rounded_up_quotient(units, cut.threads), cut);
}

}  // namespace tide::cuda
