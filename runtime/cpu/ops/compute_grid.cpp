// The elements that each place of a grid looks at, their weights, and what slopes of the weights
// mean for the place. Each operation is the one that runtime/ops/nn/grid_sample.cpp composes on
// other devices, so that a weight has the same bits however it is computed.
#include <algorithm>
#include <cmath>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/wide_vectors.h"
#include "runtime/ir/grid_mode.h"

namespace tide {
namespace {

/// Places that are computed together, in the first cache.
constexpr int64_t kTogether = 128;
/// Taps worth a thread.
constexpr int64_t kGrain = 8192;
constexpr int kMostAxes = 3;
constexpr int kMostTaps = 4;  ///< of one dimension

/// One dimension of the pixels: how a coordinate becomes a place among them.
template <class T>
struct Axis {
  int32_t size;
  bool align_corners;
  T count = static_cast<T>(size), last = static_cast<T>(size - 1), half = static_cast<T>(0.5);
  T half_last = static_cast<T>((static_cast<double>(size) - 1) / 2);
  T low = align_corners ? T(0) : T(-0.5);
  T span = align_corners ? last : count;

  T place_of(T coordinate) const {
    const T from_edge = coordinate + T(1);
    return align_corners ? from_edge * half_last : (from_edge * count - T(1)) * half;
  }
  T slope_of_place() const { return align_corners ? half_last : count * half; }

  /// Held to the pixels; a nan is at 0.
  T clip(T x) const {
    const T above = x > 0 ? x : T(0);
    return above < last ? above : last;
  }
  T slope_of_clip(T x) const { return x > 0 && x < last ? T(1) : T(0); }

  /// Folded back at the edges.
  T reflect(T x) const {
    if (span <= 0) return x * T(0);
    const T way = std::abs(x - low);
    const T rest = std::fmod(way, span);
    return (turns_back(way) ? span - rest : rest) + low;
  }
  T slope_of_reflect(T x) const {
    if (span <= 0 || x == low) return T(0);
    const T slope = x < low ? T(-1) : T(1);
    return turns_back(std::abs(x - low)) ? -slope : slope;
  }
  bool turns_back(T way) const { return std::fmod(std::floor(way / span), T(2)) != 0; }

  template <GridPadding padding>
  T pad(T x) const {
    if constexpr (padding == GridPadding::zeros) return x;
    return clip(padding == GridPadding::reflection ? reflect(x) : x);
  }
  template <GridPadding padding>
  T slope_of_pad(T x) const {
    if constexpr (padding == GridPadding::zeros) return T(1);
    if constexpr (padding == GridPadding::border) return slope_of_clip(x);
    return slope_of_clip(reflect(x)) * slope_of_reflect(x);
  }
};

/// What a dimension adds to the taps of kTogether places: pixels from 1, or 0 for one outside, the
/// weights, and how a weight changes with the coordinate.
template <class T>
struct AxisTaps {
  int32_t pixels[kMostTaps][kTogether];
  T weights[kMostTaps][kTogether], slopes[kMostTaps][kTogether];
};

/// Keys' polynomial within a pixel, beyond it (of x + 1), and their slopes.
template <class T>
struct Cubic {
  static constexpr double a = kGridCubic;
  static T near(T x) { return ((T(a + 2) * x - T(a + 3)) * x) * x + T(1); }
  static T far(T x) {
    const T y = x + T(1);
    return ((T(a) * y - T(5 * a)) * y + T(8 * a)) * y - T(4 * a);
  }
  static T near_slope(T x) { return (T(3 * (a + 2)) * x - T(2 * (a + 3))) * x; }
  static T far_slope(T x) {
    const T y = x + T(1);
    return (T(3 * a) * y - T(10 * a)) * y + T(8 * a);
  }
};

/// A pixel that a tap has, from 1, or 0.
template <GridPadding padding, class T>
int32_t held(const Axis<T>& axis, T pixel) {
  // The last pixel of very many may have been rounded up.
  const int32_t inner = std::min(static_cast<int32_t>(axis.clip(pixel)), axis.size - 1) + 1;
  if constexpr (padding == GridPadding::zeros) return pixel >= 0 && pixel < axis.count ? inner : 0;
  return inner;
}

/// The taps of `count` coordinates that are `stride` apart.
template <class T, GridMode mode, GridPadding padding>
void find_taps(const Axis<T>* given, const T* __restrict grid, int64_t stride, int64_t count,
               AxisTaps<T>* __restrict taps) {
  const Axis<T> axis = *given;
  for (int64_t p = 0; p < count; ++p) {
    const T place = axis.place_of(grid[p * stride]);
    if constexpr (mode == GridMode::bilinear) {
      const T inner = axis.template pad<padding>(place);
      const T below = std::floor(inner), share = inner - below;
      taps->pixels[0][p] = held<padding>(axis, below);
      taps->pixels[1][p] = held<padding>(axis, below + T(1));
      taps->weights[0][p] = T(1) - share;
      taps->weights[1][p] = share;
    } else {
      const T below = std::floor(place), t = place - below, u = T(1) - t;
      for (int k = 0; k < 4; ++k)
        taps->pixels[k][p] =
            held<padding>(axis, axis.template pad<padding>(below + static_cast<T>(k - 1)));
      taps->weights[0][p] = Cubic<T>::far(t);
      taps->weights[1][p] = Cubic<T>::near(t);
      taps->weights[2][p] = Cubic<T>::near(u);
      taps->weights[3][p] = Cubic<T>::far(u);
    }
  }
}

/// Their weights and slopes.
template <class T, GridMode mode, GridPadding padding>
void find_slopes(const Axis<T>* given, const T* __restrict grid, int64_t stride, int64_t count,
                 AxisTaps<T>* __restrict taps) {
  const Axis<T> axis = *given;
  const T unit = axis.slope_of_place();
  for (int64_t p = 0; p < count; ++p) {
    const T place = axis.place_of(grid[p * stride]);
    if constexpr (mode == GridMode::bilinear) {
      const T inner = axis.template pad<padding>(place);
      const T share = inner - std::floor(inner);
      const T slope = axis.template slope_of_pad<padding>(place) * unit;
      taps->weights[0][p] = T(1) - share;
      taps->weights[1][p] = share;
      taps->slopes[0][p] = -slope;
      taps->slopes[1][p] = slope;
    } else {
      const T t = place - std::floor(place), u = T(1) - t;
      taps->weights[0][p] = Cubic<T>::far(t);
      taps->weights[1][p] = Cubic<T>::near(t);
      taps->weights[2][p] = Cubic<T>::near(u);
      taps->weights[3][p] = Cubic<T>::far(u);
      taps->slopes[0][p] = Cubic<T>::far_slope(t) * unit;
      taps->slopes[1][p] = Cubic<T>::near_slope(t) * unit;
      taps->slopes[2][p] = -Cubic<T>::near_slope(u) * unit;
      taps->slopes[3][p] = -Cubic<T>::far_slope(u) * unit;
    }
  }
}

/// A further dimension of `size` pixels: positions from 1, or 0, and products of weights if there
/// are any.
template <class T>
void join_taps(const int32_t* __restrict pixels, const T* __restrict factors, int32_t size,
               int64_t count, int32_t* __restrict positions, T* __restrict weights) {
  for (int64_t p = 0; p < count; ++p) {
    const bool inside = (positions[p] != 0) & (pixels[p] != 0);
    positions[p] = inside ? (positions[p] - 1) * size + pixels[p] : 0;
    weights[p] *= factors[p];
  }
}

template <class T>
void multiply(const T* __restrict factors, int64_t count, T* __restrict products) {
  for (int64_t p = 0; p < count; ++p) products[p] *= factors[p];
}

/// sums[p * stride] += products[p] * factors[p]
template <class T>
void add_products(const T* __restrict products, const T* __restrict factors, int64_t count,
                  T* __restrict sums) {
  for (int64_t p = 0; p < count; ++p) sums[p] += products[p] * factors[p];
}

template <class T>
using FindTaps = void (*)(const Axis<T>*, const T*, int64_t, int64_t, AxisTaps<T>*);

/// find_taps or find_slopes for a mode and a padding.
template <class T, bool slopes, GridMode mode>
FindTaps<T> finder_for(GridPadding padding) {
  switch (padding) {
    case GridPadding::zeros:
      return slopes ? fastest<find_slopes<T, mode, GridPadding::zeros>>()
                    : fastest<find_taps<T, mode, GridPadding::zeros>>();
    case GridPadding::border:
      return slopes ? fastest<find_slopes<T, mode, GridPadding::border>>()
                    : fastest<find_taps<T, mode, GridPadding::border>>();
    default:
      return slopes ? fastest<find_slopes<T, mode, GridPadding::reflection>>()
                    : fastest<find_taps<T, mode, GridPadding::reflection>>();
  }
}

/// A call: grids are (samples, places, axes), of the first of which the last axis is the slowest.
template <class T, bool slopes>
class Grid {
 public:
  Grid(ComputeCall& call, const ArrayView& grid)
      : grid_(static_cast<const T*>(grid.data)),
        samples_(grid.layout.shape[0]),
        places_(grid.layout.shape[1]),
        axes_(static_cast<int>(grid.layout.shape[2])),
        parallel_(*call.parallel) {
    const auto mode = static_cast<GridMode>(call.attributes[0]);
    const auto padding = static_cast<GridPadding>(call.attributes[1]);
    along_ = mode == GridMode::bilinear ? 2 : 4;
    for (int d = 0; d < axes_; ++d) {
      axis_[d] = {.size = static_cast<int32_t>(call.attributes[static_cast<size_t>(d) + 3]),
                  .align_corners = call.attributes[2] != 0};
      taps_ *= along_;
    }
    find_ = mode == GridMode::bilinear ? finder_for<T, slopes, GridMode::bilinear>(padding)
                                       : finder_for<T, slopes, GridMode::bicubic>(padding);
  }

  int taps() const { return taps_; }
  int axes() const { return axes_; }
  int32_t size(int axis) const { return axis_[axis].size; }
  /// Which tap along an axis a tap of all axes has.
  int tap_along(int tap, int axis) const {
    for (int d = axes_ - 1; d > axis; --d) tap /= along_;
    return tap % along_;
  }

  /// Calls body(AxisTaps of each axis, first of its taps, first place, count) for parts of the
  /// places; taps are counted in an array (samples, taps, places).
  template <class Body>
  void for_places(const Body& body) const {
    const int64_t parts = (places_ + kTogether - 1) / kTogether;
    parallel_.for_range(samples_ * parts, std::max<int64_t>(1, kGrain / (taps_ * kTogether)),
                        [&](int64_t first, int64_t last) {
                          AxisTaps<T> found[kMostAxes];
                          for (int64_t part = first; part < last; ++part) {
                            const int64_t sample = part / parts, begin = part % parts * kTogether;
                            const int64_t count = std::min(kTogether, places_ - begin);
                            const int64_t place = sample * places_ + begin;
                            for (int d = 0; d < axes_; ++d)
                              find_(&axis_[d], grid_ + place * axes_ + axes_ - 1 - d, axes_, count,
                                    &found[d]);
                            body(found, sample * taps_ * places_ + begin, place, count);
                          }
                        });
  }

  int64_t places() const { return places_; }

 private:
  const T* grid_;
  int64_t samples_, places_;
  int axes_, along_ = 2, taps_ = 1;
  Axis<T> axis_[kMostAxes] = {};
  FindTaps<T> find_;
  Parallel& parallel_;
};

template <class T>
void grid_taps(ComputeCall& call) {
  static const auto join = fastest<join_taps<T>>();
  const Grid<T, false> grid(call, call.inputs[0]);
  auto* positions = static_cast<int32_t*>(call.outputs[0].data);
  auto* weights = static_cast<T*>(call.outputs[1].data);
  grid.for_places([&](const AxisTaps<T>* found, int64_t first, int64_t, int64_t count) {
    for (int tap = 0; tap < grid.taps(); ++tap) {
      int32_t* at = positions + first + tap * grid.places();
      T* factors = weights + first + tap * grid.places();
      const int slowest = grid.tap_along(tap, 0);
      std::copy_n(found[0].pixels[slowest], count, at);
      std::copy_n(found[0].weights[slowest], count, factors);
      for (int d = 1; d < grid.axes(); ++d) {
        const int own = grid.tap_along(tap, d);
        join(found[d].pixels[own], found[d].weights[own], grid.size(d), count, at, factors);
      }
    }
  });
}

template <class T>
void grid_taps_backward(ComputeCall& call) {
  static const auto times = fastest<multiply<T>>();
  static const auto add = fastest<add_products<T>>();
  const Grid<T, true> grid(call, call.inputs[1]);
  const auto* slopes = static_cast<const T*>(call.inputs[0].data);
  auto* out = static_cast<T*>(call.outputs[0].data);
  grid.for_places([&](const AxisTaps<T>* found, int64_t first, int64_t place, int64_t count) {
    T sums[kMostAxes][kTogether] = {}, product[kTogether];
    for (int tap = 0; tap < grid.taps(); ++tap)
      for (int d = 0; d < grid.axes(); ++d) {
        std::copy_n(slopes + first + tap * grid.places(), count, product);
        for (int other = 0; other < grid.axes(); ++other)
          if (other != d) times(found[other].weights[grid.tap_along(tap, other)], count, product);
        add(product, found[d].slopes[grid.tap_along(tap, d)], count, sums[d]);
      }
    for (int64_t p = 0; p < count; ++p)
      for (int d = 0; d < grid.axes(); ++d)
        out[(place + p) * grid.axes() + grid.axes() - 1 - d] = sums[d][p];
  });
}

}  // namespace

void compute_grid_taps(ComputeCall& call) {
  if (call.outputs[0].layout.shape.numel() == 0) return;
  call.inputs[0].type == DType::f64 ? grid_taps<double>(call) : grid_taps<float>(call);
}

void compute_grid_taps_backward(ComputeCall& call) {
  if (call.outputs[0].layout.shape.numel() == 0) return;
  call.inputs[0].type == DType::f64 ? grid_taps_backward<double>(call)
                                    : grid_taps_backward<float>(call);
}

}  // namespace tide
