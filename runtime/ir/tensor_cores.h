// Which products and convolutions the Tensor Cores take: by their types and sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/core/shape.h"
#include "runtime/ir/compute_op.h"

namespace tide {

/// What sizes are to be multiples of, for elements of this type: 16 bytes. 0: Tensor Cores do not
/// take the type.
int64_t tensor_core_tile(DType type);

/// A size that a product or a convolution multiplies along.
struct FactorSize {
  const char* name;  ///< "k", "input channels"
  int64_t size;
};

/// The sizes of matmul and conv2d that are no multiples of the tile of this type, by the shapes of
/// their factors; images and filters are planes. None of other ops, whose sizes follow from those.
std::vector<FactorSize> misfits(ComputeOp op, DType type, const Shape& a, const Shape& b);

/// Whether the op is one of those that Tensor Cores do, if its sizes fit.
bool multiplies_matrices(ComputeOp op);

}  // namespace tide
