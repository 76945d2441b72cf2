// Tensors put together, and tensors grown at their edges.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// One after the other along dim (default the first); the other sizes must agree.
Tensor cat(const std::vector<Tensor>& tensors, std::optional<Dim> dim = {});
/// Side by side in a new dimension.
Tensor stack(const std::vector<Tensor>& tensors, std::optional<Dim> dim = {});
Tensor hstack(const std::vector<Tensor>& tensors);
Tensor vstack(const std::vector<Tensor>& tensors);
/// Coordinates of a grid; `indexing` is "ij" (default) or "xy", which swaps the first two.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& axes,
                             const std::optional<std::string>& indexing = {});
/// Every product of an element of a with one of b, in blocks.
Tensor kron(const Tensor& a, const Tensor& b);

/// Grows (or, if negative, crops) by (before, after) amounts from the last dimension backwards.
/// `mode` is "constant" (default, with `value`), "reflect", "replicate" or "circular".
Tensor pad(const Tensor& x, const Sizes& amounts, const std::optional<std::string>& mode = {},
           std::optional<Number> value = {});
/// (c * r * r, h, w) -> (c, h * r, w * r), and back.
Tensor pixel_shuffle(const Tensor& x, int64_t factor);
Tensor pixel_unshuffle(const Tensor& x, int64_t factor);
/// Values of x (n, c, h, w) or (n, c, d, h, w) at the places that grid (n, ..., 2 or 3) holds as
/// (x, y[, z]), -1 and 1 being the edges of the image, or the middles of its last pixels if
/// align_corners. `mode` is "bilinear" (default), "nearest" or, of planes, "bicubic";
/// `padding_mode` says what lies outside: "zeros" (default), "border" or "reflection".
/// Differentiable by both, any number of times.
Tensor grid_sample(const Tensor& x, const Tensor& grid, const std::optional<std::string>& mode = {},
                   const std::optional<std::string>& padding_mode = {}, bool align_corners = false);
/// The grid (n, h, w, 2) or (n, d, h, w, 3) that theta (n, 2, 3) or (n, 3, 4) maps the places of an
/// output of `size` (n, c, ...) to.
Tensor affine_grid(const Tensor& theta, const Shape& size, bool align_corners = false);
/// Resamples the dimensions after the first two; `mode` is "nearest" (default), "linear" or
/// "bilinear", "trilinear", "bicubic" (of planes) or "area" (means). With `antialias` ("bilinear",
/// "bicubic", "lanczos") the kernel is widened so that a smaller result misses nothing. uint8 is
/// computed in whole numbers and rounded after each dimension.
Tensor interpolate(const Tensor& x, const std::optional<Sizes>& size = {},
                   const std::optional<std::vector<double>>& scale_factor = {},
                   const std::optional<std::string>& mode = {},
                   std::optional<bool> align_corners = {},
                   std::optional<bool> recompute_scale_factor = {}, bool antialias = false);
/// Windows of (n, c, h, w) as columns (n, c * kh * kw, windows), and the sum of columns back.
Tensor unfold(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& dilation = {},
              const std::optional<Sizes>& padding = {}, const std::optional<Sizes>& stride = {});
Tensor fold(const Tensor& x, const Sizes& output_size, const Sizes& kernel,
            const std::optional<Sizes>& dilation = {}, const std::optional<Sizes>& padding = {},
            const std::optional<Sizes>& stride = {});

}  // namespace tide
