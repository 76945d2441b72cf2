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

/// The q-quantile of the elements along dim (default: of all); several q make a new first
/// dimension. `interpolation` is linear (default), lower, higher, midpoint or nearest. A nan makes
/// the result nan.
Tensor quantile(const Tensor& x, const TensorOrNumber& q, std::optional<Dim> dim = {},
                bool keepdim = false, const std::optional<std::string>& interpolation = {});
/// quantile of the elements that are not nan.
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

/// The number of elements in each of `bins` (100) equal parts of min..max; elements outside are
/// ignored. Without min and max (or if they are equal), the range is the minimum and maximum of x,
/// which waits.
Tensor histc(const Tensor& x, std::optional<int64_t> bins = {}, std::optional<double> min = {},
             std::optional<double> max = {});
/// Counts (or sums of weights, or densities) and the edges of the bins. A value at an edge belongs
/// to the upper bin, at the last edge to the last one.
std::tuple<Tensor, Tensor> histogram(const Tensor& x, int64_t bins,
                                     const std::optional<std::vector<double>>& range = {},
                                     const std::optional<Tensor>& weight = {},
                                     bool density = false);
/// histogram with ascending edges in x's type.
std::tuple<Tensor, Tensor> histogram_between(const Tensor& x, const Tensor& edges,
                                             const std::optional<Tensor>& weight = {},
                                             bool density = false);

}  // namespace tide
