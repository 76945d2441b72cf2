// Which products and convolutions can use Tensor Cores, by types and sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/ir/compute_op.h"
#include "runtime/types/shape.h"

namespace tide {

/// The number that sizes must be multiples of for elements of this type: 16 bytes. 0: Tensor Cores
/// do not support the type.
int64_t tensor_core_tile(DType type);

/// A dimension of the factors of a product or a convolution.
struct FactorSize {
  const char* name;  ///< "k", "input channels"
  int64_t size;
};

/// The sizes of matmul and conv2d that are not multiples of the tile for this type, from the shapes
/// of their factors; images and filters are planes. Empty for other ops, whose sizes follow.
std::vector<FactorSize> misfits(ComputeOp op, DType type, const Shape& a, const Shape& b);

/// Whether the op can run on Tensor Cores, if its sizes fit.
bool multiplies_matrices(ComputeOp op);

}  // namespace tide
