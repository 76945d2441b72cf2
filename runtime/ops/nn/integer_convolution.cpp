#include "runtime/ops/nn/integer_convolution.h"

#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/padding.h"
#include "runtime/ops/shape/shape_ops.h"

namespace tide::whole {
namespace {

/// x padded with zeros: per dimension, from the first, `before` and `after` (negative amounts
/// crop).
Tensor padded(const Tensor& x, int dims, const std::array<int64_t, 3>& before,
              const std::array<int64_t, 3>& after) {
  Sizes pads;
  for (int d = dims - 1; d >= 0; --d) {
    pads.push_back(before[d]);
    pads.push_back(after[d]);
  }
  return pad(x, pads);
}

/// x with `stride` - 1 zeros after each element of a dimension except the last.
Tensor spread_out(const Tensor& x, int dim, int64_t stride) {
  if (stride == 1) return x;
  Sizes pads;
  for (int d = x.rank(); d > dim + 1; --d) pads.push_back(0), pads.push_back(0);
  pads.push_back(0);
  pads.push_back(stride - 1);
  const Tensor apart = flatten(pad(unsqueeze(x, Dim{dim + 1}), pads), Dim{dim}, Dim{dim + 1});
  return slice(apart, dim, 0, apart.shape()[dim] - (stride - 1));
}

}  // namespace

Tensor convolve(const Window& window, const Tensor& input, const Tensor& weight,
                const Shape& shape) {
  const int64_t n = shape[0], groups = window.groups;
  const int64_t inputs = weight.shape()[1], outputs = weight.shape()[0] / groups;
  const Tensor x = padded(input, window.dims, window.padding, window.padding);
  int64_t taps = 1, area = 1;
  for (int d = 0; d < window.dims; ++d) {
    taps *= weight.shape()[d + 2];
    area *= shape[d + 2];
  }
  const Tensor kernels = reshape_to(weight, {groups, outputs, inputs, taps});
  Tensor total;
  for (int64_t tap = 0; tap < taps; ++tap) {
    Tensor part = x;
    for (int d = window.dims - 1, index = static_cast<int>(tap); d >= 0; --d) {
      const int size = static_cast<int>(weight.shape()[d + 2]);
      part = slice(part, d + 2, index % size * window.dilation[d], shape[d + 2], window.stride[d]);
      index /= size;
    }
    const Tensor term = matmul(squeeze(slice(kernels, 3, tap, 1), Dims{3}),
                               reshape_to(part, {n, groups, inputs, area}));
    total = total.defined() ? total + term : term;
  }
  return reshape_to(total, shape);
}

Tensor convolve_transposed(const Window& window, const Tensor& input, const Tensor& weight,
                           const Shape& shape) {
  // A convolution of the dilated x with the flipped kernel.
  Window inner{window.dims, {1, 1, 1}, {}, window.dilation, window.groups};
  Tensor x = input, kernel = weight;
  std::array<int64_t, 3> before{}, after{};
  Dims mirrored;
  for (int d = 0; d < window.dims; ++d) {
    x = spread_out(x, d + 2, window.stride[d]);
    const int64_t reach = window.dilation[d] * (weight.shape()[d + 2] - 1);
    before[d] = reach - window.padding[d];
    after[d] = shape[d + 2] + reach - before[d] - x.shape()[d + 2];
    mirrored.push_back(d + 2);
  }
  const int64_t inputs = weight.shape()[0] / window.groups;
  kernel =
      transpose(unflatten(flip(kernel, mirrored), Dim{0}, {window.groups, inputs}), Dim{1}, Dim{2});
  kernel = flatten(kernel, Dim{0}, Dim{1});
  return convolve(inner, padded(x, window.dims, before, after), kernel, shape);
}

Tensor average(const Tensor& x, const std::function<Tensor(const Tensor& x, bool divided)>& pool,
               std::optional<int64_t> divisor) {
  // 32-bit halves, whose sums are exact in f64.
  const Tensor high = bitwise_right_shift(x, Number(int64_t{32}));
  const Tensor low = bitwise_and(x, Number(int64_t{0xffffffff}));
  const auto sums = [&](const Tensor& half) {
    return convert(pool(convert(half, DType::f64), false), DType::i64);
  };
  const Tensor sum = bitwise_left_shift(sums(high), Number(int64_t{32})) + sums(low);
  if (divisor) return div(sum, Number(*divisor), "trunc");
  const Tensor ones = ones_like(convert(x, DType::f64));
  const Tensor divisors = convert(round(pool(ones, false) / pool(ones, true)), DType::i64);
  return div(sum, divisors, "trunc");
}

}  // namespace tide::whole
