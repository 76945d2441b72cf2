// Convolutions and averages of integers: sums of shifted products, which wrap around.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "runtime/tensor/tensor.h"

namespace tide::whole {

/// Parameters of windows, one value for each dimension.
struct Window {
  int dims;
  std::array<int64_t, 3> stride, padding, dilation;
  int64_t groups;
};

/// x (n, c, ...) of an integer type with `weight`, whose shapes fit, in a result of sizes `shape`.
Tensor convolve(const Window& window, const Tensor& x, const Tensor& weight, const Shape& shape);

/// The transposed convolution.
Tensor convolve_transposed(const Window& window, const Tensor& x, const Tensor& weight,
                           const Shape& shape);

/// Truncated means of i64, by an average pool of f64 that divides by 1, or by its own counts on
/// request.
Tensor average(const Tensor& x, const std::function<Tensor(const Tensor& x, bool divided)>& pool,
               std::optional<int64_t> divisor);

}  // namespace tide::whole
