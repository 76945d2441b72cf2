// Windows of signal processing.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/types/dtype.h"

namespace tide {
namespace {

/// shape(t) for `length` numbers t from 0 to 1, computed in f64.
template <class Shaping>
Tensor make_window(const char* name, int64_t length, std::optional<bool> periodic,
                   const TensorOptions& options, const Shaping& shaping) {
  const DType type = options.dtype.value_or(default_dtype());
  check_least(name, "the length", length, 0);
  check_floating(name, type);
  Tensor window;
  if (length == 1) {
    window = ones({1}, {.dtype = type, .device = options.device});
  } else {
    const auto last = static_cast<double>(periodic.value_or(true) ? length : length - 1);
    const Tensor t = arange_to(Number(length), {.dtype = DType::f64, .device = options.device}) /
                     std::max(last, 1.0);
    window = convert(shaping(t), type);
  }
  return finish(window, options);
}

Tensor cosine(const Tensor& t, int times) { return cos(t * (2 * times * std::numbers::pi)); }

}  // namespace

Tensor hann_window(int64_t length, std::optional<bool> periodic, const TensorOptions& options) {
  return make_window("hann_window", length, periodic, options,
                     [](const Tensor& t) { return 0.5 - cosine(t, 1) * 0.5; });
}

Tensor hamming_window(int64_t length, std::optional<bool> periodic, std::optional<double> alpha,
                      std::optional<double> beta, const TensorOptions& options) {
  return make_window("hamming_window", length, periodic, options, [&](const Tensor& t) {
    return alpha.value_or(0.54) - cosine(t, 1) * beta.value_or(0.46);
  });
}

Tensor blackman_window(int64_t length, std::optional<bool> periodic, const TensorOptions& options) {
  // At the ends the sum is 0 except for rounding.
  return make_window("blackman_window", length, periodic, options, [](const Tensor& t) {
    return clamp_min(0.42 - cosine(t, 1) * 0.5 + cosine(t, 2) * 0.08, 0.0);
  });
}

Tensor bartlett_window(int64_t length, std::optional<bool> periodic, const TensorOptions& options) {
  return make_window("bartlett_window", length, periodic, options,
                     [](const Tensor& t) { return 1.0 - abs(t * 2.0 - 1.0); });
}

Tensor kaiser_window(int64_t length, std::optional<bool> periodic, std::optional<double> beta,
                     const TensorOptions& options) {
  const double width = beta.value_or(12);
  return make_window("kaiser_window", length, periodic, options, [&](const Tensor& t) {
    const Tensor height = sqrt(clamp_min(1.0 - square(t * 2.0 - 1.0), 0.0)) * width;
    // Scaled, so that a large beta does not overflow.
    const Tensor top = full({}, Number(width), {.dtype = DType::f64, .device = t.device()});
    return i0e(height) / i0e(top) * exp(height - std::abs(width));
  });
}

Tensor scalar_tensor(Number value, const TensorOptions& options) {
  TensorOptions chosen = options;
  if (!chosen.dtype) chosen.dtype = default_dtype();
  return full({}, value, chosen);
}

}  // namespace tide
