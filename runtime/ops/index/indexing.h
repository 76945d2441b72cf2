// Picking and placing elements by position, in views where ranges are enough.
// Positions count from 1. Those in tensors are checked when the op runs: an error is then raised by
// the first read of a result.
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

/// x[{ entries }]: a view, unless an entry is a tensor. Masks must be read: that waits.
Tensor index(const Tensor& x, std::span<const IndexEntry> entries);
/// x[{ entries }] = value, which broadcasts. Waits only for masks beside other entries and for
/// masks whose value is a tensor with dimensions.
void assign(const Tensor& x, std::span<const IndexEntry> entries, const TensorOrNumber& value);
/// x[i] for one integer, the quick way: a view on the first dimension.
Tensor index_first(const Tensor& x, int64_t position);

/// out[i][j] = x[index[i][j]][j] for dim 1, and so on.
Tensor gather(const Tensor& x, Dim dim, const Tensor& index);
/// As gather, after broadcasting x and index against each other; over the flattened x without dim.
Tensor take_along_dim(const Tensor& x, const Tensor& index, std::optional<Dim> dim = {});
/// x with source (or a number) written at index; `reduce` is "add" or "multiply".
Tensor scatter(const Tensor& x, Dim dim, const Tensor& index, const TensorOrNumber& source,
               const std::optional<std::string>& reduce = {});
Tensor scatter_add(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source);
/// x with what `source` has for each place of index put together: reduce is "sum", "prod", "mean",
/// "amax" or "amin". Unless include_self is false, the element of x counts too.
Tensor scatter_reduce(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source,
                      const std::string& reduce, std::optional<bool> include_self = {});

/// The parts of x at the positions along dim that `index`, of one dimension, holds.
Tensor index_select(const Tensor& x, Dim dim, const Tensor& index);
/// x with parts of `source` added, copied, or a number put, at positions along dim.
Tensor index_add(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source,
                 std::optional<Number> alpha = {});
/// As scatter_reduce, for parts at the positions of a vector.
Tensor index_reduce(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source,
                    const std::string& reduce, std::optional<bool> include_self = {});
Tensor index_copy(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source);
/// `value`, a number or a tensor without dimensions, at these positions along dim; negative ones
/// count from the end.
Tensor index_fill(const Tensor& x, Dim dim, const Tensor& index, const TensorOrNumber& value);
/// The elements of the flattened x at these positions, in the shape of index. Negative ones count
/// from the end.
Tensor take(const Tensor& x, const Tensor& index);

/// x with source written, or added where positions meet, at positions of the flattened x; negative
/// ones count from the end.
Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate = false);
/// x with values, which broadcast, written or added at x[{indices...}], masks among them (that
/// waits).
Tensor index_put(const Tensor& x, const std::vector<Tensor>& indices, const TensorOrNumber& values,
                 bool accumulate = false);

/// x with `value` where the mask is true.
Tensor masked_fill(const Tensor& x, const Tensor& mask, const TensorOrNumber& value);
/// The elements where the mask is true, in one dimension. Waits for the mask.
Tensor masked_select(const Tensor& x, const Tensor& mask);
/// The positions of the elements that are not 0: one row each. Waits.
Tensor nonzero(const Tensor& x);
/// The same, or with `as_tuple` what where_positions gives; a tensor without dimensions then counts
/// as one of one dimension.
TensorOrTable nonzero_as(const Tensor& x, bool as_tuple = false);
/// The same as one tensor for each dimension. Waits.
std::vector<Tensor> where_positions(const Tensor& condition);

/// Rows of `weight` at the positions in `input`; the row `padding` gets no gradient. With max_norm,
/// rows in use whose norm (of norm_type, 2) is above it are first scaled down in `weight` itself.
/// scale_grad_by_freq divides each row's gradient by how often the row is used.
Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<Position> padding = {},
                 std::optional<double> max_norm = {}, std::optional<double> norm_type = {},
                 bool scale_grad_by_freq = false);

/// Rows of `weight` put together bag by bag: bags are the rows of x, or begin at `offsets` in it,
/// of which the last may end the last bag. `mode` is "mean" (also if absent), "sum" or "max"; sums
/// may take a share of each row. The row `padding` counts in no bag. The rest is as in embedding.
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
