// Covariances and correlations.
#pragma once

#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Covariances and correlations of the rows of x, whose columns are observations. `fweights` says
/// how often each was made, `aweights` how much it counts; looking at weights waits. The divisor is
/// their number, or sum of weights, less `correction` (1), but at least 0.
Tensor cov(const Tensor& x, std::optional<int64_t> correction = {},
           const std::optional<Tensor>& fweights = {}, const std::optional<Tensor>& aweights = {});
Tensor corrcoef(const Tensor& x);

}  // namespace tide
