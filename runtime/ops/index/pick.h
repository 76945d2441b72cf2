// Building blocks of indexing: one dimension at a time, by positions in i64 tensors.
#pragma once

#include <span>

#include "runtime/autograd/autograd.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Positions of any integer type as i64. Throws DTypeError naming `op`.
Tensor positions_of(const char* op, const Tensor& index);

/// Converts negative positions, counted from the end of `size` elements, to positive ones;
/// positions out of range stay out of range.
Tensor from_the_end(const Tensor& positions, int64_t size);

/// A 0-d tensor as a vector: the compute ops need at least one dimension.
Tensor as_vector(const Tensor& x);

/// Throws ShapeError naming `op` unless index fits into x along all dimensions but dim.
void check_index(const char* op, const Tensor& x, const Tensor& index, int dim);

/// Throws naming `op` unless source has x's type and is at least as large as index in each
/// dimension.
void check_source(const char* op, const Tensor& x, const Tensor& index, const Tensor& source);

/// The part of source that belongs to an index of `shape`.
Tensor trim(const Tensor& source, const Shape& shape);

/// The elements of x along dim (from 0) at `index`, in the shape of index. Differentiable.
Tensor gather_along(const char* name, const Tensor& x, int dim, const Tensor& index);

/// The elements of x at `positions`, a vector of i64 for each dimension or, for an entire one, an
/// undefined tensor; they are known to be from 1 to its size. Fuses with its neighbours, without a
/// grad function.
Tensor lookup(const char* name, const Tensor& x, std::span<const Tensor> positions);

/// As gather_along, in a loop that fuses with its neighbours, for positions known to be from 1 to
/// the size of the dimension.
Tensor lookup_along(const char* name, const Tensor& x, int dim, const Tensor& index);

/// The slices of x along dim (from 0) at the positions in `index`, which are checked: the
/// dimensions of the index take the place of that one. Differentiable.
Tensor select_along(const char* name, const Tensor& x, int dim, const Tensor& index);

/// base with `source` written (or added) at `index` along dim. Differentiable.
Tensor scatter_along(const char* name, const Tensor& base, int dim, const Tensor& index,
                     const Tensor& source, bool add);

/// Broadcasts the vector `index` along dim to `shape`, whose size in dim is that of the index.
Tensor spread_index(const Tensor& index, const Shape& shape, int dim);

}  // namespace tide
