// Softmax and its relatives.
#pragma once

#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// exp(x) / sum(exp(x)) along dim, without overflow. With `dtype`, x is converted first.
Tensor softmax(const Tensor& x, Dim dim, std::optional<DType> dtype = {});
Tensor log_softmax(const Tensor& x, Dim dim, std::optional<DType> dtype = {});
/// softmax(-x)
Tensor softmin(const Tensor& x, Dim dim, std::optional<DType> dtype = {});

}  // namespace tide
