// How many blocks and threads a kernel is launched with: by the size of the work, and by how much
// of it the device can hold at once. No result depends on it: threads take units of work in turns.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tide::cuda {

/// What a device has room for of one kernel.
struct KernelResidency {
  int multiprocessors = 1;
  int blocks = 1;           ///< of this kernel, that a multiprocessor holds at once
  int threads = 1;          ///< of such a block
  size_t shared_bytes = 0;  ///< of such a block, beside what its kernel always has
};

struct LaunchShape {
  unsigned blocks, threads;
  unsigned shared_bytes = 0;  ///< of a block, beside what its kernel always has
  bool operator==(const LaunchShape&) const = default;
};

inline int64_t rounded_up_quotient(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// How often each block takes work that comes in `wanted` blocks. Where that is more than the
/// device holds a few times over, each takes several turns, all of them equally many: starting a
/// block costs as much as a short turn, and a grid that is no multiple would leave the last turn
/// half empty.
inline int64_t launch_turns(int64_t wanted, const KernelResidency& residency) {
  // Several times what fits: multiprocessors that are ahead take the blocks that are left.
  constexpr int64_t kTimesOver = 8;
  const int64_t most = kTimesOver * residency.multiprocessors * std::max(residency.blocks, 1);
  return std::max<int64_t>(rounded_up_quotient(wanted, most), 1);
}

/// Blocks of residency.threads for work that comes in `wanted` of them.
inline LaunchShape launch_blocks(int64_t wanted, const KernelResidency& residency) {
  return {static_cast<unsigned>(rounded_up_quotient(wanted, launch_turns(wanted, residency))),
          static_cast<unsigned>(residency.threads), static_cast<unsigned>(residency.shared_bytes)};
}

/// The residency of blocks for `units` of work, one a thread. Little work is cut into smaller
/// blocks until every multiprocessor gets one: each brings its own path to memory.
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

/// Blocks of up to residency.threads for `units` of work, one a thread.
inline LaunchShape launch_threads(int64_t units, const KernelResidency& residency) {
  const KernelResidency cut = cut_blocks(units, residency);
  return launch_blocks(rounded_up_quotient(units, cut.threads), cut);
}

}  // namespace tide::cuda
