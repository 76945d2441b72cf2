// Convolutions over one, two and three dimensions, with or without the batch dimension. stride,
// padding and dilation are one value for all dimensions or one for each.
#pragma once

#include <optional>
#include <string>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

Tensor conv1d(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias = {},
              const std::optional<Sizes>& stride = {}, const std::optional<Sizes>& padding = {},
              const std::optional<Sizes>& dilation = {}, std::optional<int64_t> groups = {});
Tensor conv2d(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias = {},
              const std::optional<Sizes>& stride = {}, const std::optional<Sizes>& padding = {},
              const std::optional<Sizes>& dilation = {}, std::optional<int64_t> groups = {});
Tensor conv3d(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias = {},
              const std::optional<Sizes>& stride = {}, const std::optional<Sizes>& padding = {},
              const std::optional<Sizes>& dilation = {}, std::optional<int64_t> groups = {});

/// With padding "valid" (none) or "same" (the result has the input's size; stride 1 only).
Tensor conv1d_named(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,
                    const std::optional<Sizes>& stride, const std::string& padding,
                    const std::optional<Sizes>& dilation = {}, std::optional<int64_t> groups = {});
Tensor conv2d_named(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,
                    const std::optional<Sizes>& stride, const std::string& padding,
                    const std::optional<Sizes>& dilation = {}, std::optional<int64_t> groups = {});
Tensor conv3d_named(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,
                    const std::optional<Sizes>& stride, const std::string& padding,
                    const std::optional<Sizes>& dilation = {}, std::optional<int64_t> groups = {});

/// The gradient of conv with respect to its input, as an op.
Tensor conv_transpose1d(const Tensor& x, const Tensor& weight,
                        const std::optional<Tensor>& bias = {},
                        const std::optional<Sizes>& stride = {},
                        const std::optional<Sizes>& padding = {},
                        const std::optional<Sizes>& output_padding = {},
                        std::optional<int64_t> groups = {},
                        const std::optional<Sizes>& dilation = {});
Tensor conv_transpose2d(const Tensor& x, const Tensor& weight,
                        const std::optional<Tensor>& bias = {},
                        const std::optional<Sizes>& stride = {},
                        const std::optional<Sizes>& padding = {},
                        const std::optional<Sizes>& output_padding = {},
                        std::optional<int64_t> groups = {},
                        const std::optional<Sizes>& dilation = {});
Tensor conv_transpose3d(const Tensor& x, const Tensor& weight,
                        const std::optional<Tensor>& bias = {},
                        const std::optional<Sizes>& stride = {},
                        const std::optional<Sizes>& padding = {},
                        const std::optional<Sizes>& output_padding = {},
                        std::optional<int64_t> groups = {},
                        const std::optional<Sizes>& dilation = {});

}  // namespace tide
