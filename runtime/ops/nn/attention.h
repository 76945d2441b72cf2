// Scaled dot product attention.
#pragma once

#include <optional>

#include "runtime/tensor/tensor.h"

namespace tide {

/// softmax(q k' * scale + mask) v; scale defaults to 1 / sqrt(size of q's last dimension).
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const std::optional<Tensor>& mask = {},
                                    std::optional<double> dropout_p = {}, bool is_causal = false,
                                    std::optional<double> scale = {});

}  // namespace tide
