// Statistics and searches, composed of sorting, reductions and scans.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/ops/arguments.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// The value below which a share q of the elements along dim (default: of all) lies; several shares
/// make a new first dimension. `interpolation` is linear (default), lower, higher, midpoint or
/// nearest. A nan makes the result nan.
Tensor quantile(const Tensor& x, const TensorOrNumber& q, std::optional<Dim> dim = {},
                bool keepdim = false, const std::optional<std::string>& interpolation = {});
/// The same of the elements that are not nan.
Tensor nanquantile(const Tensor& x, const TensorOrNumber& q, std::optional<Dim> dim = {},
                   bool keepdim = false, const std::optional<std::string>& interpolation = {});
Tensor nanmean(const Tensor& x, const OptionalDims& dims = {}, bool keepdim = false,
               std::optional<DType> dtype = {});
/// The lower of the two middle values that are not nan.
Tensor nanmedian_all(const Tensor& x);
std::tuple<Tensor, Tensor> nanmedian(const Tensor& x, Dim dim, bool keepdim = false);
/// The most frequent value along dim (default the last), the least of equally frequent ones, and
/// the last of its positions.
std::tuple<Tensor, Tensor> mode(const Tensor& x, std::optional<Dim> dim = {}, bool keepdim = false);

/// Covariances and correlations of the rows of x, whose columns are observations. `fweights` says
/// how often each was made, `aweights` how much it counts; looking at weights waits. The divisor is
/// their number, or sum of weights, less `correction` (1), but at least 0.
Tensor cov(const Tensor& x, std::optional<int64_t> correction = {},
           const std::optional<Tensor>& fweights = {}, const std::optional<Tensor>& aweights = {});
Tensor corrcoef(const Tensor& x);

/// How many elements fall into each of `bins` (100) equal parts of min..max; those outside are left
/// out. Without min and max (or if they are equal) the minima and maxima of x, which are waited
/// for.
Tensor histc(const Tensor& x, std::optional<int64_t> bins = {}, std::optional<double> min = {},
             std::optional<double> max = {});
/// Counts (or sums of weights, or densities) and the edges of the bins. A value at an edge belongs
/// to the upper bin, at the last edge to the last one.
std::tuple<Tensor, Tensor> histogram(const Tensor& x, int64_t bins,
                                     const std::optional<std::vector<double>>& range = {},
                                     const std::optional<Tensor>& weight = {},
                                     bool density = false);
/// The same between ascending edges in x's type.
std::tuple<Tensor, Tensor> histogram_between(const Tensor& x, const Tensor& edges,
                                             const std::optional<Tensor>& weight = {},
                                             bool density = false);

/// The position from 1 at which each value would be inserted into the ascending last dimension of
/// `sorted`: before equal ones, or with `right` (side "right") behind them. `sorter` holds the
/// positions that put it in order, if it is not.
Tensor searchsorted(const Tensor& sorted, const TensorOrNumber& values, bool out_int32 = false,
                    bool right = false, const std::optional<std::string>& side = {},
                    const std::optional<Tensor>& sorter = {});
/// The same with the arguments the other way round.
Tensor bucketize(const TensorOrNumber& x, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false);
/// Whether each element is among the others.
Tensor isin(const TensorOrNumber& elements, const TensorOrNumber& others, bool invert = false);
/// The elements (or slices along `dim`) that differ from the one before, and if asked for which of
/// them each belongs to, and how often each stands in a row. Waits.
Results unique_consecutive(const Tensor& x, bool return_inverse = false, bool return_counts = false,
                           std::optional<Dim> dim = {});

/// Distances of norm p between the rows of a (..., m, k) and b (..., n, k).
Tensor cdist(const Tensor& a, const Tensor& b, std::optional<double> p = {});
/// Those between all pairs of rows of x (n, k), in the order (1, 2), (1, 3), ..., (2, 3), ...
Tensor pdist(const Tensor& x, std::optional<double> p = {});
/// The norm of a - b.
Tensor dist(const Tensor& a, const Tensor& b, std::optional<double> p = {});
/// The area under the line through y, at distances dx (1) or places x, along dim (the last).
Tensor trapezoid(const Tensor& y, const std::optional<Tensor>& x = {},
                 std::optional<double> dx = {}, std::optional<Dim> dim = {});
Tensor cumulative_trapezoid(const Tensor& y, const std::optional<Tensor>& x = {},
                            std::optional<double> dx = {}, std::optional<Dim> dim = {});

}  // namespace tide
