// Threads of a warp.
#pragma once

#include <cstdint>
#include <span>

namespace fake {

constexpr uint32_t kWarp = 32;  ///< threads

/// The numbers of some threads of a warp, which take the same step.
using Lanes = std::span<const uint8_t>;

}  // namespace fake
