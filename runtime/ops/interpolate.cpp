// Resampling, one dimension after the other.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/ops/elementwise.h"
#include "runtime/ops/indexing.h"
#include "runtime/ops/joining.h"
#include "runtime/ops/pooling.h"
#include "runtime/ops/record.h"
#include "runtime/ops/shape_ops.h"

namespace tide {
namespace {

/// From `from` places to `to`, with input places per output place as the caller said, or their
/// ratio.
struct Resampling {
  int64_t from, to;
  double scale;
};

Tensor constant(const std::vector<int64_t>& positions, Device device) {
  return record_constant(positions.data(), {static_cast<int64_t>(positions.size())}, DType::i64,
                         device);
}

/// `exact` looks from the middle of each place. Single precision, as in PyTorch: it decides which
/// of two places is nearest.
Tensor nearest(const Tensor& x, int dim, const Resampling& r, bool exact) {
  std::vector<int64_t> positions;
  const auto scale = static_cast<float>(r.scale);
  for (int64_t i = 0; i < r.to; ++i) {
    const float place = (static_cast<float>(i) + (exact ? 0.5f : 0.0f)) * scale;
    positions.push_back(std::min(static_cast<int64_t>(std::floor(place)), r.from - 1) + 1);
  }
  return index_select(x, Dim{dim}, constant(positions, x.device()));
}

/// A weighted mean of the two places beside each wanted one. x is at least float32.
Tensor linear_between(const Tensor& x, int dim, const Resampling& r, bool align_corners) {
  const double step =
      align_corners ? (r.to > 1 ? static_cast<double>(r.from - 1) / (r.to - 1) : 0.0) : r.scale;
  std::vector<int64_t> lower, upper;
  std::vector<double> weights;
  for (int64_t i = 0; i < r.to; ++i) {
    const auto middle = static_cast<double>(i);
    const double place = align_corners ? middle * step : std::max(step * (middle + 0.5) - 0.5, 0.0);
    const int64_t below = std::min(static_cast<int64_t>(place), r.from - 1);
    lower.push_back(below + 1);
    upper.push_back(std::min(below + 1, r.from - 1) + 1);
    weights.push_back(std::clamp(place - static_cast<double>(below), 0.0, 1.0));
  }
  Shape across;
  for (int d = 0; d < x.rank(); ++d) across.push_back(d == dim ? r.to : 1);
  const Tensor weight =
      convert(record_constant(weights.data(), across, DType::f64, x.device()), x.dtype());
  const Tensor a = index_select(x, Dim{dim}, constant(lower, x.device()));
  const Tensor b = index_select(x, Dim{dim}, constant(upper, x.device()));
  return a * (1 - weight) + b * weight;
}

/// Keys' cubic convolution (a = -0.75) of the four places around each wanted one.
Tensor cubic_between(const Tensor& x, int dim, const Resampling& r, bool align_corners) {
  constexpr double a = -0.75;
  const double step =
      align_corners ? (r.to > 1 ? static_cast<double>(r.from - 1) / (r.to - 1) : 0.0) : r.scale;
  std::vector<int64_t> positions[4];
  std::vector<double> weights[4];
  for (int64_t i = 0; i < r.to; ++i) {
    const auto middle = static_cast<double>(i);
    const double place = align_corners ? middle * step : step * (middle + 0.5) - 0.5;
    const double below = std::floor(place);
    for (int tap = 0; tap < 4; ++tap) {
      const double distance = std::abs(place - (below + tap - 1));
      const double near = ((a + 2) * distance - (a + 3)) * distance * distance + 1;
      const double far = ((distance - 5) * distance + 8) * distance * a - 4 * a;
      weights[tap].push_back(distance <= 1 ? near : far);
      const auto pixel = static_cast<int64_t>(below) + tap - 1;
      positions[tap].push_back(std::clamp(pixel, int64_t{0}, r.from - 1) + 1);
    }
  }
  Shape across;
  for (int d = 0; d < x.rank(); ++d) across.push_back(d == dim ? r.to : 1);
  const DType type = compute_type(x.dtype());
  Tensor sum;
  for (int tap = 0; tap < 4; ++tap) {
    const Tensor weight =
        convert(record_constant(weights[tap].data(), across, DType::f64, x.device()), type);
    const Tensor picked =
        convert(index_select(x, Dim{dim}, constant(positions[tap], x.device())), type);
    sum = sum.defined() ? sum + picked * weight : picked * weight;
  }
  return convert(sum, x.dtype());
}

/// Means over the areas of the places in x.
Tensor area_means(const Tensor& x, const std::vector<Resampling>& all) {
  Sizes sizes;
  for (const Resampling& r : all) sizes.push_back(r.to);
  if (all.size() == 1) return adaptive_avg_pool1d(x, sizes);
  return all.size() == 2 ? adaptive_avg_pool2d(x, sizes) : adaptive_avg_pool3d(x, sizes);
}

/// What is asked for in each dimension after the first two.
std::vector<Resampling> resamplings(const Tensor& x, const std::optional<Sizes>& size,
                                    const std::optional<std::vector<double>>& factors,
                                    bool recompute) {
  const int dims = x.rank() - 2;
  if (size.has_value() == factors.has_value())
    throw Error("interpolate: either size or scale_factor is needed");
  const int given = size ? size->size() : static_cast<int>(factors->size());
  if (given != 1 && given != dims)
    throw ShapeError("interpolate: 1 or " + std::to_string(dims) + " numbers are needed: got " +
                     std::to_string(given));
  std::vector<Resampling> result;
  for (int d = 0; d < dims; ++d) {
    const int64_t from = x.shape()[d + 2];
    const double factor = factors ? (*factors)[given == 1 ? 0 : static_cast<size_t>(d)] : 0;
    const int64_t to = size ? (*size)[given == 1 ? 0 : d]
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
                   std::optional<bool> recompute_scale_factor) {
  if (x.rank() < 3)
    throw ShapeError("interpolate: dimensions after samples and channels are needed: " +
                     x.shape().text());
  const std::string how = mode.value_or("nearest");
  const bool exact = how == "nearest-exact", near = how == "nearest" || exact;
  constexpr const char* kLinear[] = {"linear", "bilinear", "trilinear"};
  const int dims = x.rank() - 2;
  const bool cubic = how == "bicubic" && dims == 2, area = how == "area" && dims <= 3;
  if (!near && !cubic && !area && (dims > 3 || how != kLinear[dims - 1]))
    throw Error("interpolate: mode " + how + " does not fit " + std::to_string(dims) +
                " dimensions of " + x.shape().text());
  const bool bytes = x.dtype() == DType::u8;
  if (!near && !is_floating(x.dtype()) && !bytes)
    throw DTypeError("interpolate: mode " + how +
                     " needs a floating type or uint8: " + std::string(name_of(x.dtype())));
  Tensor y = near ? x : convert(x, bytes ? DType::f32 : compute_type(x.dtype()));
  const auto all = resamplings(x, size, scale_factor, recompute_scale_factor.value_or(false));
  if (area) return area_means(x, all);
  for (int d = dims - 1; d >= 0; --d) {
    const Resampling& r = all[static_cast<size_t>(d)];
    if (cubic)
      y = cubic_between(y, d + 2, r, align_corners.value_or(false));
    else
      y = near ? nearest(y, d + 2, r, exact)
               : linear_between(y, d + 2, r, align_corners.value_or(false));
  }
  return convert(bytes && !near ? round(y, {}) : y, x.dtype());
}

}  // namespace tide
