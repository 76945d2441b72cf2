// Searches in sorted rows, and runs of equal elements.
#pragma once

#include <optional>
#include <string>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// The position from 1 at which each value would be inserted into the ascending last dimension of
/// `sorted`: before equal elements, or after them with `right` (side "right"). `sorter` holds the
/// positions that sort it, if it is not sorted.
Tensor searchsorted(const Tensor& sorted, const TensorOrNumber& values, bool out_int32 = false,
                    bool right = false, const std::optional<std::string>& side = {},
                    const std::optional<Tensor>& sorter = {});
/// searchsorted with the arguments swapped.
Tensor bucketize(const TensorOrNumber& x, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false);
/// Whether each element is among the others.
Tensor isin(const TensorOrNumber& elements, const TensorOrNumber& others, bool invert = false);
/// The elements (or slices along `dim`) that differ from the previous one, and on request the run
/// that each element belongs to, and the length of each run. Waits.
Results unique_consecutive(const Tensor& x, bool return_inverse = false, bool return_counts = false,
                           std::optional<Dim> dim = {});

}  // namespace tide
