// Ordered ops along one dimension: scans, sorting, and ops based on sorting.
#pragma once

#include <optional>
#include <tuple>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Cumulative sums and products along dim; integers and bool in i64.
Tensor cumsum(const Tensor& x, Dim dim, std::optional<DType> dtype = {});
Tensor cumprod(const Tensor& x, Dim dim, std::optional<DType> dtype = {});
/// Cumulative minima or maxima and their positions; of equal ones the last.
std::tuple<Tensor, Tensor> cummax(const Tensor& x, Dim dim);
std::tuple<Tensor, Tensor> cummin(const Tensor& x, Dim dim);
Tensor logcumsumexp(const Tensor& x, Dim dim);
/// Differences of adjacent elements along dim, n times.
Tensor diff(const Tensor& x, std::optional<int64_t> n = {}, std::optional<Dim> dim = {},
            const std::optional<Tensor>& prepend = {}, const std::optional<Tensor>& append = {});

/// Sorted values along dim (default the last), and their positions. In ascending order nan comes
/// last.
std::tuple<Tensor, Tensor> sort(const Tensor& x, std::optional<Dim> dim = {},
                                bool descending = false, bool stable = false);
/// The values of sort along the first dimension.
Tensor msort(const Tensor& x);
Tensor argsort(const Tensor& x, std::optional<Dim> dim = {}, bool descending = false,
               bool stable = false);
/// The k largest (or smallest) in order, and their positions.
std::tuple<Tensor, Tensor> topk(const Tensor& x, int64_t k, std::optional<Dim> dim = {},
                                std::optional<bool> largest = {}, std::optional<bool> sorted = {});
/// The k-th smallest value along dim, and its position.
std::tuple<Tensor, Tensor> kthvalue(const Tensor& x, int64_t k, std::optional<Dim> dim = {},
                                    bool keepdim = false);

/// The distinct values (or, with dim, slices) in order, then, on request, the position of each
/// element among them, and how often each occurs. Waits.
Results unique(const Tensor& x, std::optional<bool> sorted = {}, bool return_inverse = false,
               bool return_counts = false, std::optional<Dim> dim = {});
/// How often (or with what sum of weights) each position occurs. Waits for the largest position.
Tensor bincount(const Tensor& x, const std::optional<Tensor>& weights = {},
                std::optional<int64_t> minlength = {});

}  // namespace tide
