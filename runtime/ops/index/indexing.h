// Reads and writes elements by position, as views where ranges suffice. Positions count from 1.
// Those in tensors are checked when the op runs: an error is then raised by the first read of a
// result.
#pragma once

#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// One entry between the brackets of x[{ ... }].
struct IndexEntry {
  enum class Kind : uint8_t {
    position,  ///< `first`; the dimension disappears
    range,     ///< first..last with `step`, both ends included; negative ends count from the end
    all,       ///< {}
    ellipsis,  ///< "...": as many `all` as fit
    new_dim,   ///< "new": a dimension of size 1
    tensor     ///< integer positions, or a mask over as many dimensions as it has
  };
  Kind kind = Kind::all;
  int64_t first = 0, last = 0, step = 1;
  Tensor tensor;
};

/// x[{ entries }]: a view, unless an entry is a tensor. Masks are read, which waits.
Tensor index(const Tensor& x, std::span<const IndexEntry> entries);
/// x[{ entries }] = value, which broadcasts. Waits only for masks beside other entries and for
/// masks whose value is a tensor with dimensions.
void assign(const Tensor& x, std::span<const IndexEntry> entries, const TensorOrNumber& value);
/// x[i] for one integer, a fast path: a view along the first dimension.
Tensor index_first(const Tensor& x, int64_t position);

/// out[i][j] = x[index[i][j]][j] for dim 1, and so on.
Tensor gather(const Tensor& x, Dim dim, const Tensor& index);
/// As gather, after broadcasting x and index against each other; without dim, over the flattened x.
Tensor take_along_dim(const Tensor& x, const Tensor& index, std::optional<Dim> dim = {});
/// x with source (or a number) written at index; `reduce` is "add" or "multiply".
Tensor scatter(const Tensor& x, Dim dim, const Tensor& index, const TensorOrNumber& source,
               const std::optional<std::string>& reduce = {});
Tensor scatter_add(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source);
/// x with the elements of `source` scattered to the same position of index combined: reduce is
/// "sum", "prod", "mean", "amax" or "amin". Unless include_self is false, the element of x is
/// included.
Tensor scatter_reduce(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source,
                      const std::string& reduce, std::optional<bool> include_self = {});

/// The slices of x at the positions along dim in `index`, a vector.
Tensor index_select(const Tensor& x, Dim dim, const Tensor& index);
/// x with slices of `source` added or copied, or a number written, at positions along dim.
Tensor index_add(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source,
                 std::optional<Number> alpha = {});
/// As scatter_reduce, for slices at the positions of a vector.
Tensor index_reduce(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source,
                    const std::string& reduce, std::optional<bool> include_self = {});
Tensor index_copy(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source);
/// x with `value`, a number or a 0-d tensor, at these positions along dim; negative ones count from
/// the end.
Tensor index_fill(const Tensor& x, Dim dim, const Tensor& index, const TensorOrNumber& value);
/// The elements of the flattened x at these positions, in the shape of index. Negative ones count
/// from the end.
Tensor take(const Tensor& x, const Tensor& index);

/// x with source written, or, with `accumulate`, added, at positions of the flattened x; negative
/// ones count from the end.
Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate = false);
/// x with values, which broadcast, written or added at x[{indices...}], which may be masks (that
/// waits).
Tensor index_put(const Tensor& x, const std::vector<Tensor>& indices, const TensorOrNumber& values,
                 bool accumulate = false);

/// x with `value` where the mask is true.
Tensor masked_fill(const Tensor& x, const Tensor& mask, const TensorOrNumber& value);
/// The elements where the mask is true, as a vector. Waits for the mask.
Tensor masked_select(const Tensor& x, const Tensor& mask);
/// The positions of the elements that are not 0: one row each. Waits.
Tensor nonzero(const Tensor& x);
/// As above, or with `as_tuple` as where_positions, where a 0-d tensor is treated as 1-d.
TensorOrTable nonzero_as(const Tensor& x, bool as_tuple = false);
/// The positions of the elements that are not 0, as one tensor for each dimension. Waits.
std::vector<Tensor> where_positions(const Tensor& condition);

/// Rows of `weight` at the positions in `input`; the row `padding` gets no gradient. With max_norm,
/// rows in use whose norm (of norm_type, 2) exceeds it are first scaled down in `weight` itself.
/// scale_grad_by_freq divides each row's gradient by how often the row is used.
Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<Position> padding = {},
                 std::optional<double> max_norm = {}, std::optional<double> norm_type = {},
                 bool scale_grad_by_freq = false);

/// Rows of `weight` reduced per bag: bags are the rows of x, or begin at `offsets` in it, whose
/// last entry may be the end of the last bag. `mode` is "mean" (default), "sum" or "max"; sums may
/// be weighted. The row `padding` is ignored. Other arguments are as in embedding.
Tensor embedding_bag(const Tensor& x, const Tensor& weight,
                     const std::optional<Tensor>& offsets = {},
                     const std::optional<std::string>& mode = {},
                     const std::optional<Tensor>& per_sample_weights = {},
                     std::optional<Position> padding = {}, bool include_last_offset = false,
                     std::optional<double> max_norm = {}, std::optional<double> norm_type = {},
                     bool scale_grad_by_freq = false);

/// The positions (count, rank) of the true elements of a mask, of which there are `count`, in
/// row-major order. Never waits.
Tensor true_positions(const char* op, const Tensor& mask, int64_t count);

/// The elements of an integer tensor. Waits.
std::vector<int64_t> read_integers(const char* op, const Tensor& x);

/// Positions in a flattened tensor of `shape` as positions in each of its dimensions. Negative ones
/// count from the end.
std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape);

}  // namespace tide
