// Threads of a warp.
#pragma once

#include <cstdint>
#include <span>

namespace fake {

constexpr uint32_t kWarp = 32;  ///< threads

/// The lanes of a warp that run the same step.
using Lanes = std::span<const uint8_t>;

}  // namespace fake
