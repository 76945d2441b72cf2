// Matrices from diagonals, and the positions of triangles.
#pragma once

#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Matrices with the last dimension of x on a diagonal, in two new dimensions.
Tensor diag_embed(const Tensor& x, std::optional<int64_t> offset = {}, std::optional<Dim> dim1 = {},
                  std::optional<Dim> dim2 = {});
/// A matrix with all elements of x on a diagonal.
Tensor diagflat(const Tensor& x, std::optional<int64_t> offset = {});
/// Positions of a triangle of a matrix: (2, count).
Tensor tril_indices(int64_t rows, int64_t columns, std::optional<int64_t> offset = {},
                    const TensorOptions& options = {});
Tensor triu_indices(int64_t rows, int64_t columns, std::optional<int64_t> offset = {},
                    const TensorOptions& options = {});

}  // namespace tide
