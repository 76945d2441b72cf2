// Covariances and correlations.
#pragma once

#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Covariances and correlations of the rows of x, whose columns are observations. `fweights` are
/// the frequencies of the observations, `aweights` their importance; checking weights waits. The
/// divisor is the number of observations, or the sum of weights, minus `correction` (1), but at
/// least 0.
Tensor cov(const Tensor& x, std::optional<int64_t> correction = {},
           const std::optional<Tensor>& fweights = {}, const std::optional<Tensor>& aweights = {});
Tensor corrcoef(const Tensor& x);

}  // namespace tide
