// Runs PTX kernels on the host, block by block, for tests.
//
// Each warp of a block runs until its threads wait (a barrier, a shuffle) or have ended; then the
// next one does. Threads of a warp that come to the same step take it one after the other. So a
// kernel that relies on an order of warps which nothing promises is likely to be caught, and one
// that relies on an order of threads is if races are looked for (see races.h). Memory is checked:
// an access outside of what there is ends the launch.
#pragma once

#include <functional>
#include <optional>

#include "tests/cuda/fake/ptx/module.h"

namespace fake {

/// A kernel did what a device would stop it for: touched memory that is not there, trapped, or
/// waited at a barrier that others never come to.
struct LaunchError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Dimensions {
  unsigned x = 1, y = 1, z = 1;
};

/// The range of allocated memory that contains an address, if any: first and last + 1.
using FindRange = std::function<std::optional<std::pair<uint64_t, uint64_t>>(uint64_t address)>;

/// Runs the kernel to its end. `parameters` holds the bytes of its parameters, at their offsets.
/// Throws LaunchError.
void run_kernel(const Kernel& kernel, Dimensions grid, Dimensions block, unsigned shared_bytes,
                const std::vector<uint8_t>& parameters, const FindRange& find_range);

}  // namespace fake
