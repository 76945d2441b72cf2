// Resampling, one dimension after the other.
#include "runtime/ops/nn/interpolate.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/device/registry.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/nn/pooling.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// From `from` elements to `to`; the scale is the caller's, or their ratio.
struct Resampling {
  int64_t from, to;
  double scale;
};

Tensor constant(const std::vector<int64_t>& positions, Device device) {
  return record_constant(positions.data(), {static_cast<int64_t>(positions.size())}, DType::i64,
                         device);
}

/// The slices of x along a dimension at positions counted from 1.
Tensor slices_at(const Tensor& x, int dim, const std::vector<int64_t>& positions) {
  Shape shape = x.shape();
  shape[dim] = static_cast<int64_t>(positions.size());
  return lookup_along("interpolate", x, dim,
                      spread_index(constant(positions, x.device()), shape, dim));
}

/// `exact` measures from the center of each element. Single precision, as in PyTorch, because it
/// decides which of two elements is nearest.
Tensor nearest(const Tensor& x, int dim, const Resampling& r, bool exact) {
  std::vector<int64_t> positions;
  const auto scale = static_cast<float>(r.scale);
  for (int64_t i = 0; i < r.to; ++i) {
    const float index = (static_cast<float>(i) + (exact ? 0.5f : 0.0f)) * scale;
    positions.push_back(std::min(static_cast<int64_t>(std::floor(index)), r.from - 1) + 1);
  }
  return slices_at(x, dim, positions);
}

/// How each output element along a dimension is computed: as a weighted sum of input elements.
struct ResamplingWindow {
  std::vector<int64_t> indices;  ///< from 0
  std::vector<double> weights;

  void add(int64_t index, double weight) {
    indices.push_back(index);
    weights.push_back(weight);
  }
};
using Windows = std::vector<ResamplingWindow>;

/// The interpolation kernel as a function of distance.
struct ResamplingKernel {
  double reach;  ///< radius of its support
  double (*weight)(double distance);
};

double triangle(double distance) { return std::max(1 - distance, 0.0); }

/// Keys' cubic convolution: a = -0.5 as in imaging libraries, -0.75 as in graphics.
template <int kHundredths>
double cubic(double distance) {
  constexpr double a = kHundredths / 100.0;
  if (distance >= 2) return 0;
  return distance <= 1 ? ((a + 2) * distance - (a + 3)) * distance * distance + 1
                       : ((distance - 5) * distance + 8) * distance * a - 4 * a;
}

/// A sinc windowed by a sinc of three times its width (Lanczos).
double lanczos(double distance) {
  if (distance == 0) return 1;
  if (distance >= 3) return 0;
  const double angle = std::numbers::pi * distance;
  return 3 * std::sin(angle) * std::sin(angle / 3) / (angle * angle);
}

double step_of(const Resampling& r, bool align_corners) {
  if (!align_corners) return r.scale;
  return r.to > 1 ? static_cast<double>(r.from - 1) / static_cast<double>(r.to - 1) : 0.0;
}

/// The elements next to each output position; beyond the ends the last element is repeated.
Windows interpolating(const Resampling& r, const ResamplingKernel& kernel, bool align_corners) {
  const double step = step_of(r, align_corners);
  const auto reach = static_cast<int64_t>(kernel.reach);
  Windows windows(static_cast<size_t>(r.to));
  for (int64_t i = 0; i < r.to; ++i) {
    const auto middle = static_cast<double>(i);
    double index = align_corners ? middle * step : step * (middle + 0.5) - 0.5;
    if (reach == 1) index = std::clamp(index, 0.0, static_cast<double>(r.from - 1));
    const auto below = static_cast<int64_t>(std::floor(index));
    for (int64_t at = below - reach + 1; at <= below + reach; ++at)
      windows[static_cast<size_t>(i)].add(std::clamp(at, int64_t{0}, r.from - 1),
                                          kernel.weight(std::abs(index - static_cast<double>(at))));
  }
  return windows;
}

/// All elements under the kernel, which is scaled to the larger element size: an average if the
/// result is smaller.
Windows averaging(const Resampling& r, const ResamplingKernel& kernel, bool align_corners) {
  const double step = step_of(r, align_corners), width = std::max(step, 1.0);
  const double support = kernel.reach * width;
  Windows windows(static_cast<size_t>(r.to));
  for (int64_t i = 0; i < r.to; ++i) {
    ResamplingWindow& window = windows[static_cast<size_t>(i)];
    const double center = step * (static_cast<double>(i) + 0.5);
    const auto first = std::max(static_cast<int64_t>(center - support + 0.5), int64_t{0});
    const auto end = std::min(static_cast<int64_t>(center + support + 0.5), r.from);
    double total = 0;
    for (int64_t at = first; at < end; ++at) {
      const double distance = std::abs(static_cast<double>(at) - center + 0.5) / width;
      window.add(at, kernel.weight(distance));
      total += window.weights.back();
    }
    for (double& weight : window.weights)
      if (total != 0) weight /= total;
  }
  return windows;
}

size_t longest(const Windows& windows) {
  size_t count = 0;
  for (const ResamplingWindow& window : windows) count = std::max(count, window.indices.size());
  return count;
}

/// Pads windows to equal length. The last element is repeated with parts of its weight: a weight of
/// 0 would turn an infinity outside the window into nan.
Windows evened(Windows windows) {
  const size_t count = longest(windows);
  for (ResamplingWindow& window : windows)
    while (window.indices.size() < count) {
      const double half = window.weights.back() / 2;
      window.weights.back() = half;
      window.add(window.indices.back(), half);
    }
  return windows;
}

/// The contributions of each of the `from` elements to the results.
Windows transposed(const Windows& windows, int64_t from) {
  Windows result(static_cast<size_t>(from));
  for (size_t i = 0; i < windows.size(); ++i)
    for (size_t k = 0; k < windows[i].indices.size(); ++k)
      result[static_cast<size_t>(windows[i].indices[k])].add(static_cast<int64_t>(i),
                                                             windows[i].weights[k]);
  return result;
}

/// The k-th elements of the windows along a dimension of x.
Tensor picked(const Tensor& x, int dim, const Windows& windows, size_t k) {
  std::vector<int64_t> positions;
  for (const ResamplingWindow& window : windows) positions.push_back(window.indices[k] + 1);
  return slices_at(x, dim, positions);
}

/// The shape of one value per window that broadcasts to x.
Shape across(const Tensor& x, int dim, const Windows& windows) {
  Shape shape;
  for (int d = 0; d < x.rank(); ++d)
    shape.push_back(d == dim ? static_cast<int64_t>(windows.size()) : 1);
  return shape;
}

/// weighted_sum by a compute op. No grad function.
Tensor sum_of_windows(const Tensor& x, int dim, const Windows& windows) {
  Shape rows{1, x.shape()[dim], 1}, shape = x.shape();
  for (int d = 0; d < x.rank(); ++d)
    if (d != dim) rows[d < dim ? 0 : 2] *= x.shape()[d];
  std::vector<int64_t> positions;
  std::vector<double> weights;
  for (const ResamplingWindow& window : windows) {
    for (const int64_t index : window.indices) positions.push_back(index + 1);
    weights.insert(weights.end(), window.weights.begin(), window.weights.end());
  }
  const auto to = static_cast<int64_t>(windows.size());
  const Shape table{to, static_cast<int64_t>(windows[0].indices.size())};
  const Tensor inputs[] = {
      reshape_to(contiguous(x), rows),
      record_constant(positions.data(), table, DType::i64, x.device()),
      convert(record_constant(weights.data(), table, DType::f64, x.device()), x.dtype())};
  const ComputeResult result{{rows[0], to, rows[2]}, x.dtype()};
  shape[dim] = to;
  return reshape_to(
      record_compute(ComputeOp::window_sums, "interpolate", inputs, {&result, 1}, {})[0], shape);
}

/// The weighted sums over windows of equal length along a dimension of x, which is f32 or f64.
Tensor weighted_sum(const Tensor& x, int dim, const Windows& windows) {
  if (!needs_grad_fn(x) && has_kernel(ComputeOp::window_sums, x.device()))
    return sum_of_windows(x, dim, windows);
  Tensor sum;
  for (size_t k = 0; k < windows[0].indices.size(); ++k) {
    std::vector<double> weights;
    for (const ResamplingWindow& window : windows) weights.push_back(window.weights[k]);
    const Tensor weight =
        convert(record_constant(weights.data(), across(x, dim, windows), DType::f64, x.device()),
                x.dtype());
    const Tensor term = picked(x, dim, windows, k) * weight;
    sum = sum.defined() ? sum + term : term;
  }
  return sum;
}

/// weighted_sum, whose gradient is also a weighted_sum if the inverse windows are small and cover
/// every element; else it is that of gather.
Tensor resample(const Tensor& x, int dim, const Windows& windows) {
  constexpr size_t kFew = 32;
  const Windows even = evened(windows);
  if (!needs_grad_fn(x)) return weighted_sum(x, dim, even);
  const Windows back = transposed(even, x.shape()[dim]);
  const bool all = std::none_of(back.begin(), back.end(), [](const ResamplingWindow& window) {
    return window.indices.empty();
  });
  if (!all || longest(back) > kFew) return weighted_sum(x, dim, even);
  Tensor y;
  {
    const GradientMode off(false);
    y = weighted_sum(x, dim, even);
  }
  set_grad_fn(y, "interpolate", {x}, false,
              [dim, back](const GradientCall& call) -> std::vector<Tensor> {
                return {resample(call.dy, dim, back)};
              });
  return y;
}

/// The sums for bytes, in integers: 16-bit fixed-point weights with as many fraction bits as the
/// largest weight allows, each sum rounded and clamped to 0..255, as in PyTorch and Pillow.
Tensor resample_bytes(const Tensor& x, int dim, const Windows& windows) {
  // Weights of repeated elements are summed before rounding.
  Windows merged(windows.size());
  double largest = 0;
  for (size_t i = 0; i < windows.size(); ++i) {
    const ResamplingWindow& window = windows[i];
    for (size_t k = 0; k < window.indices.size(); ++k) {
      if (k > 0 && window.indices[k] == merged[i].indices.back())
        merged[i].weights.back() += window.weights[k];
      else
        merged[i].add(window.indices[k], window.weights[k]);
    }
    for (double weight : merged[i].weights) largest = std::max(largest, weight);
  }
  int bits = 0;
  while (bits < 22 && static_cast<int>(0.5 + largest * (1 << (bits + 1))) < 1 << 15) ++bits;
  const size_t count = longest(merged);
  Tensor sum;
  for (ResamplingWindow& window : merged)
    while (window.indices.size() < count) window.add(window.indices.back(), 0);
  for (size_t k = 0; k < count; ++k) {
    std::vector<int32_t> weights;
    for (const ResamplingWindow& window : merged)
      weights.push_back(static_cast<int32_t>(std::round(window.weights[k] * (1 << bits))));
    const Tensor weight =
        record_constant(weights.data(), across(x, dim, merged), DType::i32, x.device());
    const Tensor term = convert(picked(x, dim, merged, k), DType::i32) * weight;
    sum = sum.defined() ? sum + term : term;
  }
  const Tensor rounded = bitwise_right_shift(sum + Number((1 << bits) / 2), Number(bits));
  return convert(clamp(rounded, Number(0), Number(255)), DType::u8);
}

/// Means over the area of each output element in x.
Tensor area_means(const Tensor& x, const std::vector<Resampling>& all) {
  Sizes sizes;
  for (const Resampling& r : all) sizes.push_back(r.to);
  if (all.size() == 1) return adaptive_avg_pool1d(x, sizes);
  return all.size() == 2 ? adaptive_avg_pool2d(x, sizes) : adaptive_avg_pool3d(x, sizes);
}

/// The requested size or scale in each dimension after the first two.
std::vector<Resampling> resamplings(const Tensor& x, const std::optional<Sizes>& size,
                                    const std::optional<std::vector<double>>& factors,
                                    bool recompute) {
  const int dims = x.rank() - 2;
  if (size.has_value() == factors.has_value())
    throw Error("interpolate: either size or scale_factor is required");
  const int count = size ? size->size() : static_cast<int>(factors->size());
  check_one_or_each("interpolate", size ? "size" : "scale_factor", count, dims);
  std::vector<Resampling> result;
  for (int d = 0; d < dims; ++d) {
    const int64_t from = x.shape()[d + 2];
    const double factor = factors ? (*factors)[count == 1 ? 0 : static_cast<size_t>(d)] : 0;
    const int64_t to = size ? (*size)[count == 1 ? 0 : d]
                            : static_cast<int64_t>(std::floor(static_cast<double>(from) * factor));
    if (to < 1 || from < 1)
      throw ShapeError("interpolate: sizes must be positive: from " + std::to_string(from) +
                       " to " + std::to_string(to));
    check_list_length("interpolate", to);
    const bool by_factor = factors && !recompute;
    result.push_back({from, to, by_factor ? 1 / factor : static_cast<double>(from) / to});
  }
  return result;
}

}  // namespace

Tensor interpolate(const Tensor& x, const std::optional<Sizes>& size,
                   const std::optional<std::vector<double>>& scale_factor,
                   const std::optional<std::string>& mode, std::optional<bool> align_corners,
                   std::optional<bool> recompute_scale_factor, bool antialias) {
  check_min_rank("interpolate", x, 3);
  const std::string how = mode.value_or("nearest");
  const bool exact = how == "nearest-exact", near = how == "nearest" || exact;
  constexpr const char* kLinear[] = {"linear", "bilinear", "trilinear"};
  const int dims = x.rank() - 2;
  const bool is_cubic = how == "bicubic" && dims == 2, area = how == "area" && dims <= 3;
  const bool is_lanczos = how == "lanczos" && dims == 2 && antialias;
  const bool linear = dims <= 3 && how == kLinear[dims - 1];
  if (!near && !is_cubic && !is_lanczos && !area && !linear)
    throw Error("interpolate: mode " + how + (how == "lanczos" ? " without antialias" : "") +
                " does not fit " + std::to_string(dims) + " dimensions of " + x.shape().text());
  if (antialias && (dims != 2 || near || area))
    throw Error("interpolate: antialias goes with bilinear, bicubic and lanczos, got " + how +
                " of " + x.shape().text());
  if (align_corners && (near || area))
    throw Error(
        "interpolate: align_corners goes with linear, bilinear, bicubic and trilinear, got " + how);
  const bool bytes = x.dtype() == DType::u8;
  if (!is_floating(x.dtype()) && !bytes)
    throw_type("interpolate", "a floating type or uint8", x.dtype());
  const auto all = resamplings(x, size, scale_factor, recompute_scale_factor.value_or(false));
  if (area) return area_means(x, all);
  const ResamplingKernel kernel = linear       ? ResamplingKernel{1, triangle}
                                  : is_lanczos ? ResamplingKernel{3, lanczos}
                                  : antialias  ? ResamplingKernel{2, cubic<-50>}
                                               : ResamplingKernel{2, cubic<-75>};
  const bool as_it_is = bytes || (near && !is_narrow(x.dtype()));  // narrow types are rounded once
  Tensor y = as_it_is ? x : convert(x, compute_type(x.dtype()));
  for (int d = dims - 1; d >= 0; --d) {
    const Resampling& r = all[static_cast<size_t>(d)];
    if (near) {
      y = nearest(y, d + 2, r, exact);
      continue;
    }
    const bool corners = align_corners.value_or(false);
    const Windows windows =
        antialias ? averaging(r, kernel, corners) : interpolating(r, kernel, corners);
    y = bytes ? resample_bytes(y, d + 2, windows) : resample(y, d + 2, windows);
  }
  return convert(y, x.dtype());
}

}  // namespace tide
