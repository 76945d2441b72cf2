// Splitting a tensor into parts along a dimension.
#pragma once

#include <optional>
#include <vector>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Splits along dim into a number of parts, the first ones longer by one if they cannot be equal,
/// or at the given indices. A tensor holds either (0-d: the number of parts); it is read.
std::vector<Tensor> tensor_split(const Tensor& x, int64_t sections, std::optional<Dim> dim = {});
std::vector<Tensor> tensor_split_after(const Tensor& x, const std::vector<int64_t>& indices,
                                       std::optional<Dim> dim = {});
std::vector<Tensor> tensor_split_by(const Tensor& x, const Tensor& tensor_indices_or_sections,
                                    std::optional<Dim> dim = {});
std::vector<Tensor> hsplit(const Tensor& x, int64_t sections);
std::vector<Tensor> hsplit_after(const Tensor& x, const std::vector<int64_t>& indices);
std::vector<Tensor> vsplit(const Tensor& x, int64_t sections);
std::vector<Tensor> vsplit_after(const Tensor& x, const std::vector<int64_t>& indices);
std::vector<Tensor> dsplit(const Tensor& x, int64_t sections);
std::vector<Tensor> dsplit_after(const Tensor& x, const std::vector<int64_t>& indices);

}  // namespace tide
