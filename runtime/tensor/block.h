// Which blocks of memory a tensor holds.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/device/call_site.h"
#include "runtime/tensor/tensor.h"

namespace tide {

struct Block {
  const void* address;  ///< tells blocks of a device apart
  size_t bytes;
  CallSite site;  ///< the line that needed it
};

/// The block of x's present value, which its views and snapshots share; of a value that is not
/// stored those that it would be computed from. Waits for nothing.
std::vector<Block> blocks_of(const Tensor& x);

}  // namespace tide
