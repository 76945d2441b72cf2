// Recording functions of pairs of numbers that are computed by loops.
#pragma once

#include "runtime/ir/pair_function.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// function(a, b), elementwise with broadcasting, computed in `type`.
Tensor record_pair(PairFunction function, const char* name, DType type, const Tensor& a,
                   const Tensor& b);

}  // namespace tide
