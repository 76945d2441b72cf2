// Building blocks of indexing: one dimension at a time, by positions in i64 tensors.
#pragma once

#include "runtime/autograd/autograd.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Positions as i64, which may be of any integer type. Throws DTypeError naming `op`.
Tensor positions_of(const char* op, const Tensor& index);

/// Negative positions among `size` ones, counted from the end, as those from the start; what is out
/// of range stays so.
Tensor from_the_end(const Tensor& positions, int64_t size);

/// A tensor without dimensions as a vector: the compute ops walk at least one dimension.
Tensor as_vector(const Tensor& x);

/// Throws ShapeError naming `op` unless index fits into x along all dimensions but dim.
void check_index(const char* op, const Tensor& x, const Tensor& index, int dim);

/// Throws naming `op` unless source is of x's type and reaches as far as index does.
void check_source(const char* op, const Tensor& x, const Tensor& index, const Tensor& source);

/// The part of source that belongs to an index of `shape`.
Tensor trim(const Tensor& source, const Shape& shape);

/// x picked along dim (from 0) at `index`, in the shape of index. Differentiable.
Tensor gather_along(const char* name, const Tensor& x, int dim, const Tensor& index);

/// base with `source` written (or added) at `index` along dim. Differentiable.
Tensor scatter_along(const char* name, const Tensor& base, int dim, const Tensor& index,
                     const Tensor& source, bool add);

/// `index`, of one dimension, seen along dim by all elements of a tensor of `shape`, whose own size
/// there is that of the index.
Tensor spread_index(const Tensor& index, const Shape& shape, int dim);

}  // namespace tide
