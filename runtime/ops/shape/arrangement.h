// Arrangements of tensors that are composed of views, joining and writing.
#pragma once

#include <optional>
#include <vector>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// x with dimensions of size 1 added up to so many; the same of each tensor of a list.
Tensor atleast_1d(const Tensor& x);
std::vector<Tensor> atleast_1d_each(const std::vector<Tensor>& tensors);
Tensor atleast_2d(const Tensor& x);
std::vector<Tensor> atleast_2d_each(const std::vector<Tensor>& tensors);
Tensor atleast_3d(const Tensor& x);
std::vector<Tensor> atleast_3d_each(const std::vector<Tensor>& tensors);
/// All in their common shape.
std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors);
/// Matrices along a diagonal, zeros elsewhere.
Tensor block_diag(const std::vector<Tensor>& tensors);
/// Vectors as columns; tensors one behind the other in the third dimension.
Tensor column_stack(const std::vector<Tensor>& tensors);
Tensor dstack(const std::vector<Tensor>& tensors);
/// All combinations of elements of vectors; of `r` (2) elements of one.
Tensor cartesian_prod(const std::vector<Tensor>& tensors);
Tensor combinations(const Tensor& x, std::optional<int64_t> r = {}, bool with_replacement = false);

/// So many parts along dim, the first ones longer by one if they cannot be equal; or cut after so
/// many places. A tensor holds either, without dimensions the number of parts; it is read.
std::vector<Tensor> tensor_split(const Tensor& x, int64_t sections, std::optional<Dim> dim = {});
std::vector<Tensor> tensor_split_after(const Tensor& x, const std::vector<int64_t>& indices,
                                       std::optional<Dim> dim = {});
std::vector<Tensor> tensor_split_by(const Tensor& x, const Tensor& tensor_indices_or_sections,
                                    std::optional<Dim> dim = {});
std::vector<Tensor> hsplit(const Tensor& x, int64_t sections);
std::vector<Tensor> hsplit_after(const Tensor& x, const std::vector<int64_t>& indices);
std::vector<Tensor> vsplit(const Tensor& x, int64_t sections);
std::vector<Tensor> vsplit_after(const Tensor& x, const std::vector<int64_t>& indices);
std::vector<Tensor> dsplit(const Tensor& x, int64_t sections);
std::vector<Tensor> dsplit_after(const Tensor& x, const std::vector<int64_t>& indices);

/// Matrices with the last dimension of x on a diagonal, in two new dimensions.
Tensor diag_embed(const Tensor& x, std::optional<int64_t> offset = {}, std::optional<Dim> dim1 = {},
                  std::optional<Dim> dim2 = {});
/// A matrix with all elements of x on a diagonal.
Tensor diagflat(const Tensor& x, std::optional<int64_t> offset = {});
/// Positions of a triangle of a matrix: (2, count).
Tensor tril_indices(int64_t rows, int64_t columns, std::optional<int64_t> offset = {},
                    const TensorOptions& options = {});
Tensor triu_indices(int64_t rows, int64_t columns, std::optional<int64_t> offset = {},
                    const TensorOptions& options = {});

/// x with another tensor in the place of a part.
Tensor select_scatter(const Tensor& x, const Tensor& source, Dim dim, Position index);
Tensor slice_scatter(const Tensor& x, const Tensor& source, std::optional<Dim> dim = {},
                     std::optional<Position> first = {}, std::optional<Position> last = {},
                     std::optional<int64_t> step = {});
Tensor diagonal_scatter(const Tensor& x, const Tensor& source, std::optional<int64_t> offset = {},
                        std::optional<Dim> dim1 = {}, std::optional<Dim> dim2 = {});
/// x with the elements of `source`, in order, where the mask is true.
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source);

/// Inner products of the last dimensions; of two vectors.
Tensor inner(const Tensor& a, const Tensor& b);
/// The product over the last n dimensions of a and the first n of b (default 2).
Tensor tensordot(const Tensor& a, const Tensor& b, std::optional<int64_t> dims = {});
/// beta * x + alpha * the sum of products of stacks; beta * x + alpha * (a b') of vectors.
/// The same over pairs of dimensions: those of the first list are x's, their partners b's.
Tensor tensordot_pairs(const Tensor& a, const Tensor& b, const DimLists& dims);
/// Row i has the powers count - 1, ..., 1, 0 of x[i]; rising if asked for. count: as many as rows.
Tensor vander(const Tensor& x, std::optional<int64_t> count = {}, bool increasing = false);
/// Positions in a flattened tensor of `shape` as positions in each of its dimensions. Negative ones
/// count from the end.
std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape);
/// x with each part along dim scaled down so that its norm of order p is at most `largest`.
Tensor renorm(const Tensor& x, double p, Dim dim, double largest);

}  // namespace tide
