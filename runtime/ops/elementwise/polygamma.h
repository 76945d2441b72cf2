// The derivatives of digamma.
#pragma once

#include "runtime/tensor/tensor.h"

namespace tide {

/// The n-th derivative of digamma, 0 <= n <= 100.
Tensor polygamma(int64_t n, const Tensor& x);
Tensor polygamma_of(const Tensor& x, int64_t n);

}  // namespace tide
