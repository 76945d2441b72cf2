// Padding, pixel shuffling, and windows of planes as columns.
#pragma once

#include <optional>
#include <string>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Pads (or, if negative, crops) by (before, after) amounts from the last dimension backwards.
/// `mode` is "constant" (default, with `value`), "reflect", "replicate" or "circular".
Tensor pad(const Tensor& x, const Sizes& amounts, const std::optional<std::string>& mode = {},
           std::optional<Number> value = {});
/// (c * r * r, h, w) -> (c, h * r, w * r), and back.
Tensor pixel_shuffle(const Tensor& x, int64_t factor);
Tensor pixel_unshuffle(const Tensor& x, int64_t factor);
/// Windows of (n, c, h, w) as columns (n, c * kh * kw, windows), and the sum of columns back.
Tensor unfold(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& dilation = {},
              const std::optional<Sizes>& padding = {}, const std::optional<Sizes>& stride = {});
Tensor fold(const Tensor& x, const Sizes& output_size, const Sizes& kernel,
            const std::optional<Sizes>& dilation = {}, const std::optional<Sizes>& padding = {},
            const std::optional<Sizes>& stride = {});

}  // namespace tide
