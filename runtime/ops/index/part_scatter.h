// Copies of tensors in which a part is replaced.
#pragma once

#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// x with a part replaced by another tensor.
Tensor select_scatter(const Tensor& x, const Tensor& source, Dim dim, Position index);
Tensor slice_scatter(const Tensor& x, const Tensor& source, std::optional<Dim> dim = {},
                     std::optional<Position> first = {}, std::optional<Position> last = {},
                     std::optional<int64_t> step = {});
Tensor diagonal_scatter(const Tensor& x, const Tensor& source, std::optional<int64_t> offset = {},
                        std::optional<Dim> dim1 = {}, std::optional<Dim> dim2 = {});
/// x with the elements of `source`, in order, where the mask is true.
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source);

}  // namespace tide
