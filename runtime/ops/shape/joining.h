// Tensors put together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// One after the other along dim (default the first); the other sizes must agree.
Tensor cat(const std::vector<Tensor>& tensors, std::optional<Dim> dim = {});
/// Side by side in a new dimension.
Tensor stack(const std::vector<Tensor>& tensors, std::optional<Dim> dim = {});
Tensor hstack(const std::vector<Tensor>& tensors);
Tensor vstack(const std::vector<Tensor>& tensors);
/// Coordinates of a grid; `indexing` is "ij" (default) or "xy", which swaps the first two.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& axes,
                             const std::optional<std::string>& indexing = {});
/// Every product of an element of a with one of b, in blocks.
Tensor kron(const Tensor& a, const Tensor& b);

}  // namespace tide
