// Logarithms and entropies.
#pragma once

#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// log(p / (1 - p)), p first clamped to eps..1 - eps.
Tensor logit(const Tensor& p, std::optional<double> eps = {});
/// log2(2^a + 2^b) without overflow.
Tensor logaddexp2(const Tensor& a, const Tensor& b);
/// -x log(x), 0 at 0, -infinity below.
Tensor entr(const Tensor& x);
/// a log(1 + b), 0 where a is 0 unless b is nan.
Tensor xlog1py(const TensorOrNumber& a, const TensorOrNumber& b);

}  // namespace tide
