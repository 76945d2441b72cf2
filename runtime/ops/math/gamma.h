// Functions around the gamma function.
#pragma once

#include "runtime/tensor/tensor.h"

namespace tide {

/// The regularized incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x). No gradient for a.
Tensor igamma(const Tensor& a, const Tensor& x);
Tensor igammac(const Tensor& a, const Tensor& x);
/// log of the gamma function of dimension p.
Tensor multigammaln(const Tensor& x, int64_t p);

}  // namespace tide
