// Runs PTX kernels on the host, block by block, for tests.
//
// Each warp of a block runs until its threads wait (barrier, shuffle) or have exited, then the next
// one. Threads of a warp at the same step run it one after the other. So kernels that rely on an
// order of warps are likely to fail, and those that rely on an order of threads fail if races are
// detected (see races.h). Memory is checked: an access out of bounds ends the launch.
#pragma once

#include <functional>
#include <optional>

#include "tests/cuda/fake/ptx/module.h"

namespace fake {

/// An error that would stop a kernel on a device: an invalid access, a trap, or a barrier that
/// other threads never reach.
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
