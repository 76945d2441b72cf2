// Joins tensors: cat, stack, meshgrid and relatives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Concatenates along dim (default the first); the other sizes must agree.
Tensor cat(const std::vector<Tensor>& tensors, std::optional<Dim> dim = {});
/// Joins along a new dimension.
Tensor stack(const std::vector<Tensor>& tensors, std::optional<Dim> dim = {});
Tensor hstack(const std::vector<Tensor>& tensors);
Tensor vstack(const std::vector<Tensor>& tensors);
/// Coordinates of a grid; `indexing` is "ij" (default) or "xy", which swaps the first two.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& axes,
                             const std::optional<std::string>& indexing = {});
/// Every product of an element of a with one of b, in blocks.
Tensor kron(const Tensor& a, const Tensor& b);

/// x with dimensions of size 1 added until it has 1, 2 or 3; `_each`: each tensor of a list.
Tensor atleast_1d(const Tensor& x);
std::vector<Tensor> atleast_1d_each(const std::vector<Tensor>& tensors);
Tensor atleast_2d(const Tensor& x);
std::vector<Tensor> atleast_2d_each(const std::vector<Tensor>& tensors);
Tensor atleast_3d(const Tensor& x);
std::vector<Tensor> atleast_3d_each(const std::vector<Tensor>& tensors);
/// Broadcasts all to their common shape.
std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors);
/// Matrices along a diagonal, zeros elsewhere.
Tensor block_diag(const std::vector<Tensor>& tensors);
/// Vectors as columns of a matrix; tensors joined along the third dimension.
Tensor column_stack(const std::vector<Tensor>& tensors);
Tensor dstack(const std::vector<Tensor>& tensors);
/// All combinations of elements of vectors; of `r` (2) elements of one.
Tensor cartesian_prod(const std::vector<Tensor>& tensors);
Tensor combinations(const Tensor& x, std::optional<int64_t> r = {}, bool with_replacement = false);

}  // namespace tide
