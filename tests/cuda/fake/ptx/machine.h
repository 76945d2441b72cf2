// Runs PTX kernels on the host, block by block, for tests.
//
// Each thread of a block runs until it waits (a barrier, a shuffle) or ends; then the next one
// does. So a kernel that relies on an order of threads which nothing promises is likely to be
// caught. Global memory is checked: an access outside every allocation ends the launch.
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
