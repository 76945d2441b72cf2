// Resizes images.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Resamples the dimensions after the first two; `mode` is "nearest" (default), "linear" or
/// "bilinear", "trilinear", "bicubic" (of planes) or "area" (means). With `antialias` ("bilinear",
/// "bicubic", "lanczos") the kernel is widened so that downsampling uses all pixels. uint8 is
/// computed in integers and rounded after each dimension.
Tensor interpolate(const Tensor& x, const std::optional<Sizes>& size = {},
                   const std::optional<std::vector<double>>& scale_factor = {},
                   const std::optional<std::string>& mode = {},
                   std::optional<bool> align_corners = {},
                   std::optional<bool> recompute_scale_factor = {}, bool antialias = false);

}  // namespace tide
