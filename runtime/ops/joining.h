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
           std::optional<double> value = {});
/// (c * r * r, h, w) -> (c, h * r, w * r), and back.
Tensor pixel_shuffle(const Tensor& x, int64_t factor);
Tensor pixel_unshuffle(const Tensor& x, int64_t factor);
/// Resamples the dimensions after the first two; `mode` is "nearest" (default), "linear" or
/// "bilinear".
Tensor interpolate(const Tensor& x, const std::optional<Sizes>& size = {},
                   const std::optional<std::vector<double>>& scale_factor = {},
                   const std::optional<std::string>& mode = {},
                   std::optional<bool> align_corners = {},
                   std::optional<bool> recompute_scale_factor = {});
/// Windows of (n, c, h, w) as columns (n, c * kh * kw, windows), and the sum of columns back.
Tensor unfold(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& dilation = {},
              const std::optional<Sizes>& padding = {}, const std::optional<Sizes>& stride = {});
Tensor fold(const Tensor& x, const Sizes& output_size, const Sizes& kernel,
            const std::optional<Sizes>& dilation = {}, const std::optional<Sizes>& padding = {},
            const std::optional<Sizes>& stride = {});

}  // namespace tide
