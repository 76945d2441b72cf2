// Other shapes of the same elements. Whatever strides can express is a view, which shares its
// elements with x: a write through either is visible in both.
#pragma once

#include <optional>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// A view if strides can express it, else a copy. One size may be -1.
Tensor reshape(const Tensor& x, const Sizes& sizes);
Tensor reshape_to(const Tensor& x, const Shape& shape);
Tensor reshape_as(const Tensor& x, const Tensor& other);
/// As reshape, but throws ShapeError where that would copy.
Tensor view(const Tensor& x, const Sizes& sizes);
Tensor view_as(const Tensor& x, const Tensor& other);
/// Joins the dimensions first..last (default: all) into one.
Tensor flatten(const Tensor& x, std::optional<Dim> first = {}, std::optional<Dim> last = {});
/// Splits one dimension into several sizes, of which one may be -1.
Tensor unflatten(const Tensor& x, Dim dim, const Sizes& sizes);
Tensor ravel(const Tensor& x);

Tensor transpose(const Tensor& x, Dim dim0, Dim dim1);
/// Swaps the last two dimensions: x.mT.
Tensor matrix_transpose(const Tensor& x);
/// The transposed matrix; vectors and scalars are returned unchanged.
Tensor t(const Tensor& x);
/// All dimensions in reverse: x.T.
Tensor reverse_dims(const Tensor& x);
Tensor permute(const Tensor& x, const Dims& dims);
Tensor movedim(const Tensor& x, const Dims& source, const Dims& destination);

/// Drops dimensions of size 1: all, or the given ones where the size is 1.
Tensor squeeze(const Tensor& x, std::optional<Dims> dims = {});
Tensor unsqueeze(const Tensor& x, Dim dim);
/// Repeats dimensions of size 1 without copying; -1 keeps a size.
Tensor expand(const Tensor& x, const Sizes& sizes);
Tensor expand_as(const Tensor& x, const Tensor& other);
Tensor broadcast_to(const Tensor& x, const Shape& shape);

/// `length` elements along `dim`, from `start`.
Tensor narrow(const Tensor& x, Dim dim, Position start, int64_t length);
/// narrow with the start in a 0-d integer tensor, whose value is read, which waits.
Tensor narrow_from(const Tensor& x, Dim dim, const Tensor& start, int64_t length);
/// `count` elements along `dim` (from 0), starting at index `first`, `step` apart; no checks.
Tensor slice(const Tensor& x, int dim, int64_t first, int64_t count, int64_t step = 1);
/// The part at one position of `dim`, which is removed.
Tensor select(const Tensor& x, Dim dim, Position index);
/// The elements x[i][i + offset] as a new last dimension.
Tensor diagonal(const Tensor& x, std::optional<int64_t> offset = {}, std::optional<Dim> dim1 = {},
                std::optional<Dim> dim2 = {});
/// The diagonal of a matrix, or a matrix with x as its diagonal.
Tensor diag(const Tensor& x, std::optional<int64_t> diagonal = {});
/// Windows of `size` along `dim`, each `step` after the previous one, as a new last dimension.
Tensor unfold_dim(const Tensor& x, Dim dim, int64_t size, int64_t step);

/// Any layout over x's storage: strides and the offset (default x's) are in elements. Throws
/// ShapeError if it exceeds the storage. The gradient sums over elements that appear several times.
Tensor as_strided(const Tensor& x, const Sizes& size, const Sizes& stride,
                  std::optional<int64_t> storage_offset = {});
/// x with `source` written to the elements that as_strided selects. Throws ShapeError if it does
/// not fit.
Tensor as_strided_scatter(const Tensor& x, const Tensor& source, const Sizes& size,
                          const Sizes& stride, std::optional<int64_t> storage_offset = {});
/// The elements of x's storage from the first, in another shape: a view, or if there are too few, a
/// copy padded with zeros. Throws Error if x requires a gradient.
Tensor resized(const Tensor& x, const Shape& shape);
/// resized, to the shape of another tensor.
Tensor resized_as(const Tensor& x, const Tensor& other);
/// Puts a value at x[i][i]...; with `wrap`, a tall matrix has further diagonals below the first.
void fill_diagonal_(const Tensor& x, Number value, bool wrap = false);
/// A copy of narrow's result.
Tensor narrow_copy(const Tensor& x, Dim dim, Position start, int64_t length);
/// The sum of x over the dimensions that broadcasting `shape` to x's would have repeated.
Tensor sum_to_size(const Tensor& x, const Shape& shape);

/// The parts at each position of `dim` (default the first).
std::vector<Tensor> unbind(const Tensor& x, std::optional<Dim> dim = {});
/// Parts of `size`, the last possibly smaller; or of the given sizes.
std::vector<Tensor> split(const Tensor& x, int64_t size, std::optional<Dim> dim = {});
std::vector<Tensor> split_sizes(const Tensor& x, const std::vector<int64_t>& sizes,
                                std::optional<Dim> dim = {});
/// At most `chunks` parts of equal size, the last possibly smaller.
std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, std::optional<Dim> dim = {});

/// Copies x several times along each dimension (Tensor.repeat), or as tile with missing sizes set
/// to 1.
Tensor repeat_dims(const Tensor& x, const Sizes& repeats);
Tensor tile(const Tensor& x, const Sizes& repeats);
/// Each element (along `dim`, else of the flattened x) several times in a row. Counts in a tensor
/// are read, which waits.
Tensor repeat_interleave(const Tensor& x, int64_t repeats, std::optional<Dim> dim = {});
Tensor repeat_interleave_counts(const Tensor& x, const Tensor& repeats, std::optional<Dim> dim = {},
                                std::optional<int64_t> output_size = {});
/// Copies with the order along the dimensions reversed, moved around, turned by 90 degrees.
Tensor flip(const Tensor& x, const Dims& dims);
Tensor fliplr(const Tensor& x);
Tensor flipud(const Tensor& x);
Tensor roll(const Tensor& x, const Sizes& shifts, std::optional<Dims> dims = {});
Tensor rot90(const Tensor& x, std::optional<int64_t> turns = {}, std::optional<Dims> dims = {});

/// x itself if it is row-major without gaps, else a copy.
Tensor contiguous(const Tensor& x);
/// A copy, with a grad function.
Tensor clone(const Tensor& x);
/// y, or a copy where it is x itself or a view of it: the result of an op that must not return an
/// alias of x. Differentiable.
Tensor unshared(const Tensor& y, const Tensor& x);
/// The format of this name; empty for "preserve_format". Throws Error naming `function` for an
/// unknown name.
std::optional<MemoryFormat> memory_format_named(const char* function, const std::string& name);
/// x itself if its elements lie in that order without gaps, else a copy. Throws ShapeError if
/// channels_last is requested for anything but planes (n, c, h, w).
Tensor in_format(const Tensor& x, MemoryFormat format);
/// y, channels last if x or `other` is: what convolutions and pools return.
Tensor in_format_of(const Tensor& y, const Tensor& x, const Tensor& other = {});
/// contiguous and clone, with a format by name.
Tensor contiguous_in(const Tensor& x, const std::optional<std::string>& memory_format = {});
Tensor clone_in(const Tensor& x, const std::optional<std::string>& memory_format = {});

}  // namespace tide
