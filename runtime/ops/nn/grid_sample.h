// Samples images at positions between pixels.
#pragma once

#include <optional>
#include <string>

#include "runtime/tensor/tensor.h"

namespace tide {

/// Values of x (n, c, h, w) or (n, c, d, h, w) at the positions (x, y[, z]) in grid (n, ..., 2 or
/// 3), where -1 and 1 are the edges of the image, or the centers of its outermost pixels if
/// align_corners. `mode` is "bilinear" (default), "nearest" or, of planes, "bicubic";
/// `padding_mode` defines values outside: "zeros" (default), "border" or "reflection".
/// Differentiable in both, any number of times.
Tensor grid_sample(const Tensor& x, const Tensor& grid, const std::optional<std::string>& mode = {},
                   const std::optional<std::string>& padding_mode = {}, bool align_corners = false);
/// The grid (n, h, w, 2) or (n, d, h, w, 3) that theta (n, 2, 3) or (n, 3, 4) maps the positions of
/// an output of `size` (n, c, ...) to.
Tensor affine_grid(const Tensor& theta, const Shape& size, bool align_corners = false);

}  // namespace tide
