// The normal distribution.
#pragma once

#include "runtime/tensor/tensor.h"

namespace tide {

/// The cumulative distribution function, its logarithm, and its inverse.
Tensor ndtr(const Tensor& x);
Tensor log_ndtr(const Tensor& x);
Tensor ndtri(const Tensor& p);

}  // namespace tide
