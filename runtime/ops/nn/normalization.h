// Normalization over features, groups, batches and lengths.
#pragma once

#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

using OptionalTensor = std::optional<Tensor>;

/// (x - mean) / sqrt(variance + eps) * weight + bias over the last dimensions, whose sizes are
/// `shape`.
Tensor layer_norm(const Tensor& x, const Shape& shape, const OptionalTensor& weight = {},
                  const OptionalTensor& bias = {}, std::optional<double> eps = {});
/// x / sqrt(mean(x * x) + eps) * weight; eps defaults to the type's epsilon.
Tensor rms_norm(const Tensor& x, const Shape& shape, const OptionalTensor& weight = {},
                std::optional<double> eps = {});
/// Normalizes each of `groups` groups of channels (dimension 2 in scripts) of each sample.
Tensor group_norm(const Tensor& x, int64_t groups, const OptionalTensor& weight = {},
                  const OptionalTensor& bias = {}, std::optional<double> eps = {});
/// Normalizes each channel over all other dimensions when training (and updates the running
/// statistics in place), else with the running statistics.
Tensor batch_norm(const Tensor& x, const OptionalTensor& running_mean,
                  const OptionalTensor& running_var, const OptionalTensor& weight = {},
                  const OptionalTensor& bias = {}, bool training = false,
                  std::optional<double> momentum = {}, std::optional<double> eps = {});
/// Normalizes each channel of each sample.
Tensor instance_norm(const Tensor& x, const OptionalTensor& running_mean = {},
                     const OptionalTensor& running_var = {}, const OptionalTensor& weight = {},
                     const OptionalTensor& bias = {}, std::optional<bool> use_input_stats = {},
                     std::optional<double> momentum = {}, std::optional<double> eps = {});

/// x / max(norm of order p along dim, eps); p = 2, dim = the second, eps = 1e-12.
Tensor normalize(const Tensor& x, std::optional<double> p = {}, std::optional<Dim> dim = {},
                 std::optional<double> eps = {});
/// Cosine of the angle between vectors along dim (default the second).
Tensor cosine_similarity(const Tensor& a, const Tensor& b, std::optional<Dim> dim = {},
                         std::optional<double> eps = {});
/// Norm of a - b + eps along the last dimension.
Tensor pairwise_distance(const Tensor& a, const Tensor& b, std::optional<double> p = {},
                         std::optional<double> eps = {}, bool keepdim = false);

}  // namespace tide
