// Ops that combine elements along dimensions. No dims, or an empty list: all of them.
// With `keepdim` reduced dimensions stay, of size 1.
#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

using OptionalDims = std::optional<Dims>;

/// Sums; integers and bool in i64. With `dtype`, x is converted first.
Tensor sum(const Tensor& x, const OptionalDims& dims = {}, bool keepdim = false,
           std::optional<DType> dtype = {});
Tensor mean(const Tensor& x, const OptionalDims& dims = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
Tensor prod(const Tensor& x, const OptionalDims& dims = {}, bool keepdim = false,
            std::optional<DType> dtype = {});
/// Sums x to `shape`, to which x's shape was broadcast: the gradient of broadcasting.
Tensor sum_to(const Tensor& x, const Shape& shape);
/// Sums that ignore nan.
Tensor nansum(const Tensor& x, const OptionalDims& dims = {}, bool keepdim = false,
              std::optional<DType> dtype = {});

/// Minima or maxima; the gradient is shared among equal ones.
Tensor amax(const Tensor& x, const OptionalDims& dims = {}, bool keepdim = false);
Tensor amin(const Tensor& x, const OptionalDims& dims = {}, bool keepdim = false);
Tensor max_all(const Tensor& x);
Tensor min_all(const Tensor& x);
/// Minima and maxima.
std::tuple<Tensor, Tensor> aminmax(const Tensor& x, std::optional<Dim> dim = {},
                                   bool keepdim = false);
/// Minima or maxima along dim and their positions; of equal ones the first; nan takes precedence.
std::tuple<Tensor, Tensor> max_along(const Tensor& x, Dim dim, bool keepdim = false);
std::tuple<Tensor, Tensor> min_along(const Tensor& x, Dim dim, bool keepdim = false);
/// Positions of minima or maxima, in the flattened x if dim is absent.
Tensor argmax(const Tensor& x, std::optional<Dim> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& x, std::optional<Dim> dim = {}, bool keepdim = false);
/// The lower of the two middle values.
Tensor median_all(const Tensor& x);
std::tuple<Tensor, Tensor> median(const Tensor& x, Dim dim, bool keepdim = false);

Tensor any(const Tensor& x, const OptionalDims& dims = {}, bool keepdim = false);
Tensor all(const Tensor& x, const OptionalDims& dims = {}, bool keepdim = false);
Tensor count_nonzero(const Tensor& x, const OptionalDims& dims = {});
/// Whether shape and values are the same. Waits.
bool equal(const Tensor& a, const Tensor& b);

/// Variance and deviation; the divisor is n - correction (default 1).
Tensor var(const Tensor& x, const OptionalDims& dims = {}, std::optional<double> correction = {},
           bool keepdim = false);
Tensor std_deviation(const Tensor& x, const OptionalDims& dims = {},
                     std::optional<double> correction = {}, bool keepdim = false);
std::tuple<Tensor, Tensor> var_mean(const Tensor& x, const OptionalDims& dims = {},
                                    std::optional<double> correction = {}, bool keepdim = false);
std::tuple<Tensor, Tensor> std_mean(const Tensor& x, const OptionalDims& dims = {},
                                    std::optional<double> correction = {}, bool keepdim = false);

/// var and std with a correction of 1, or 0 if not unbiased: PyTorch's older signatures.
Tensor var_unbiased(const Tensor& x, bool unbiased);
Tensor var_unbiased_over(const Tensor& x, const OptionalDims& dims, bool unbiased,
                         bool keepdim = false);
Tensor std_deviation_unbiased(const Tensor& x, bool unbiased);
Tensor std_deviation_unbiased_over(const Tensor& x, const OptionalDims& dims, bool unbiased,
                                   bool keepdim = false);
std::tuple<Tensor, Tensor> var_mean_unbiased(const Tensor& x, bool unbiased);
std::tuple<Tensor, Tensor> var_mean_unbiased_over(const Tensor& x, const OptionalDims& dims,
                                                  bool unbiased, bool keepdim = false);
std::tuple<Tensor, Tensor> std_mean_unbiased(const Tensor& x, bool unbiased);
std::tuple<Tensor, Tensor> std_mean_unbiased_over(const Tensor& x, const OptionalDims& dims,
                                                  bool unbiased, bool keepdim = false);

/// (sum of |x|^order)^(1 / order); order 0 counts, an infinite order gives the largest or smallest
/// |x|.
Tensor vector_norm(const Tensor& x, std::optional<double> order = {}, const OptionalDims& dims = {},
                   bool keepdim = false, std::optional<DType> dtype = {});
/// log(sum(exp(x))) without overflow.
Tensor logsumexp(const Tensor& x, const Dims& dims, bool keepdim = false);
/// The sum of the diagonal of a matrix.
Tensor trace(const Tensor& x);

/// x with each part along dim scaled down so that its norm of order p is at most `largest`.
Tensor renorm(const Tensor& x, double p, Dim dim, double largest);

}  // namespace tide
