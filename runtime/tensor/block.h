// Which blocks of memory a tensor holds.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/device/call_site.h"
#include "runtime/tensor/tensor.h"

namespace tide {

struct Block {
  const void* address;  ///< identifies a block of a device
  size_t bytes;
  CallSite site;  ///< the line that needed it
};

/// The block of x's current value, which its views and snapshots share; for a value that is not
/// stored, the blocks that it would be computed from. Never waits.
std::vector<Block> blocks_of(const Tensor& x);

}  // namespace tide
