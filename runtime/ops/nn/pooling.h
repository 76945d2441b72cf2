// Pooling over windows, with or without the batch dimension. Sizes are one value for all dimensions
// or one for each; stride defaults to the kernel's size.
#pragma once

#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Maxima of windows and, with return_indices, their positions in the flattened plane.
Results max_pool1d(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& stride = {},
                   const std::optional<Sizes>& padding = {},
                   const std::optional<Sizes>& dilation = {}, bool ceil_mode = false,
                   bool return_indices = false);
Results max_pool2d(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& stride = {},
                   const std::optional<Sizes>& padding = {},
                   const std::optional<Sizes>& dilation = {}, bool ceil_mode = false,
                   bool return_indices = false);
Results max_pool3d(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& stride = {},
                   const std::optional<Sizes>& padding = {},
                   const std::optional<Sizes>& dilation = {}, bool ceil_mode = false,
                   bool return_indices = false);

/// Means of windows.
Tensor avg_pool1d(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& stride = {},
                  const std::optional<Sizes>& padding = {}, bool ceil_mode = false,
                  std::optional<bool> count_include_pad = {});
Tensor avg_pool2d(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& stride = {},
                  const std::optional<Sizes>& padding = {}, bool ceil_mode = false,
                  std::optional<bool> count_include_pad = {},
                  std::optional<int64_t> divisor_override = {});
Tensor avg_pool3d(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& stride = {},
                  const std::optional<Sizes>& padding = {}, bool ceil_mode = false,
                  std::optional<bool> count_include_pad = {},
                  std::optional<int64_t> divisor_override = {});

/// Pools to a given output size.
Tensor adaptive_avg_pool1d(const Tensor& x, const Sizes& size);
Tensor adaptive_avg_pool2d(const Tensor& x, const Sizes& size);
Results adaptive_max_pool1d(const Tensor& x, const Sizes& size, bool return_indices = false);
Results adaptive_max_pool2d(const Tensor& x, const Sizes& size, bool return_indices = false);
Tensor adaptive_avg_pool3d(const Tensor& x, const Sizes& size);
Results adaptive_max_pool3d(const Tensor& x, const Sizes& size, bool return_indices = false);

}  // namespace tide
