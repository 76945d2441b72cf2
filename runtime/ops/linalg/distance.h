// Distances between vectors.
#pragma once

#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Distances of norm p between the rows of a (..., m, k) and b (..., n, k).
Tensor cdist(const Tensor& a, const Tensor& b, std::optional<double> p = {});
/// Distances between all pairs of rows of x (n, k), in the order (1, 2), (1, 3), ..., (2, 3), ...
Tensor pdist(const Tensor& x, std::optional<double> p = {});
/// The norm of a - b.
Tensor dist(const Tensor& a, const Tensor& b, std::optional<double> p = {});

}  // namespace tide
