// Which block of memory a tensor's value lies in.
#pragma once

#include <cstddef>
#include <optional>

#include "runtime/device/call_site.h"
#include "runtime/tensor/tensor.h"

namespace tide {

struct Block {
  const void* address;  ///< tells blocks of a device apart
  size_t bytes;
  CallSite site;  ///< the line that needed it
};

/// The block of x's present value, which its views and snapshots share; none if it was never
/// stored. Waits for nothing.
std::optional<Block> block_of(const Tensor& x);

}  // namespace tide
