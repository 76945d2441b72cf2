// Weighted sums of elements by position: what grid_sample samples with.
#pragma once

#include "runtime/tensor/tensor.h"

namespace tide {

/// out[n][c][p], the sum over t of x[n][c][positions[n][t][p]] * weights[n][t][p]. Position 0 is
/// nowhere and adds nothing; weights, of the type that x is computed in, may be undefined: 1.
Tensor blend_taps(const Tensor& x, const Tensor& positions, const Tensor& weights);

}  // namespace tide
