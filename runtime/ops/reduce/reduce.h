// Building blocks of reductions over a set of dimensions, given as bits.
#pragma once

#include "runtime/ir/loop.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// `dims` as bits; all dimensions if there are none.
unsigned reduced_dims(const char* op, const OptionalDims& dims, int rank);

/// `shape` without the reduced dimensions, or with size 1 in their place.
Shape reduced_shape(const Shape& shape, unsigned dims, bool keepdim);

/// The number of elements reduced into each result.
int64_t reduced_count(const Shape& shape, unsigned dims);

/// Reduces without a grad function, in the reduction's result type: f32 for halves.
Tensor reduce_raw(Reduction reduction, const char* name, const Tensor& x, unsigned dims,
                  bool keepdim);

/// x in another type, without a grad function.
Tensor convert_raw(const char* name, const Tensor& x, DType type);

/// The sum with a grad function; halves are rounded once.
Tensor sum_over(const Tensor& x, unsigned dims, bool keepdim);
/// Maxima (minima) with a grad function. Throws ShapeError naming `op` if there are no elements.
Tensor minmax_over(const char* op, Reduction minmax, const Tensor& x, unsigned dims, bool keepdim);

/// Broadcasts one value for each result of a reduction to the elements reduced into it.
/// Differentiable.
Tensor spread(const Tensor& reduced, const Shape& shape, unsigned dims);

/// dy / counts, in the type of dy. f16 cannot hold counts above 65504. Differentiable.
Tensor share_among(const Tensor& dy, const Tensor& counts);

}  // namespace tide
