// Building blocks of views: how layouts change, and the gradient of views that show only a part.
#pragma once

#include "runtime/autograd/autograd.h"
#include "runtime/tensor/tensor.h"
#include "runtime/types/shape.h"

namespace tide {

/// `layout` without dimension `dim`, at index 0 of it.
Layout erase_dim(const Layout& layout, int dim);
/// `layout` with a new dimension before `dim`.
Layout insert_dim(const Layout& layout, int dim, int64_t size, int64_t stride);
/// `count` elements along `dim`, starting at index `first` (from 0), `step` apart.
Layout slice_dim(const Layout& layout, int dim, int64_t first, int64_t count, int64_t step);
/// Dimension d of the result is dimension order[d] of `layout`.
Layout permute_dims(const Layout& layout, const int* order);

/// The elements of x that `part` selects, a layout of a dense tensor of x's shape, as a view of x.
/// `in_storage` is the same part as a layout of x's storage. Differentiable.
Tensor view_part(const char* name, const Tensor& x, const Layout& in_storage, const Layout& part);

/// As view_part, for a layout of dense tensors only; copies x if it is not dense.
Tensor take_part(const char* name, const Tensor& x, const Layout& part);

/// Zeros of `shape` with x at the elements that `part` selects, overlapping elements summed: the
/// gradient of view_part. Differentiable.
Tensor place_part(const char* name, const Tensor& x, const Shape& shape, const Layout& part);

/// A view of all elements of x whose gradient `gradient` reshapes to x's shape.
Tensor view_whole(const char* name, const Tensor& x, const Layout& layout,
                  Tensor (*gradient)(const Tensor& dy, const Shape& shape));

}  // namespace tide
