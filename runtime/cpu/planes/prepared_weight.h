// Weights of convolutions in the form in which they are multiplied.
#pragma once

#include <cstdint>
#include <span>

namespace tide {

/// Platform::prepared_size of host devices.
int64_t prepared_weight_size(std::span<const int64_t> attributes);

}  // namespace tide
