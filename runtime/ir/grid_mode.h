// How the compute op `grid_sample` looks at pixels.
#pragma once

#include <cstdint>

namespace tide {

enum class GridMode : int64_t { bilinear, nearest, bicubic };
/// What a place outside the pixels stands for.
enum class GridPadding : int64_t { zeros, border, reflection };

/// The factor of Keys' cubic convolution.
constexpr double kGridCubic = -0.75;

}  // namespace tide
