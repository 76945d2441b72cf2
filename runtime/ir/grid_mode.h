// How the compute op `grid_sample` interpolates.
#pragma once

#include <cstdint>

namespace tide {

enum class GridMode : int64_t { bilinear, nearest, bicubic };
/// The value of points outside the image.
enum class GridPadding : int64_t { zeros, border, reflection };

/// The parameter of Keys' cubic convolution.
constexpr double kGridCubic = -0.75;

}  // namespace tide
