// The pixels that grid coordinates sample along one dimension, their weights, and the slopes of the
// weights. Each operation is the one that runtime/ops/nn/grid_sample.cpp composes on other devices,
// so that a weight has the same bits everywhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "runtime/ir/grid_mode.h"

namespace tide {

/// Points whose taps are computed together, in the first-level cache.
constexpr int64_t kGridBlock = 128;
constexpr int kMostAxisTaps = 4;

/// Number of taps along one dimension.
constexpr int taps_along(GridMode mode) {
  return mode == GridMode::nearest ? 1 : mode == GridMode::bilinear ? 2 : kMostAxisTaps;
}

/// One dimension of the pixels: maps a coordinate to a position among them.
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
  T slope_of_position() const { return align_corners ? half_last : count * half; }

  /// Clamped to the pixels; nan becomes 0.
  T clip(T x) const {
    const T above = x > 0 ? x : T(0);
    return above < last ? above : last;
  }
  T slope_of_clip(T x) const { return x > 0 && x < last ? T(1) : T(0); }

  /// Reflected at the edges.
  T reflect(T x) const {
    if (span <= 0) return x * T(0);
    const T distance = std::abs(x - low);
    const T remainder = std::fmod(distance, span);
    return (turns_back(distance) ? span - remainder : remainder) + low;
  }
  T slope_of_reflect(T x) const {
    if (span <= 0 || x == low) return T(0);
    const T slope = x < low ? T(-1) : T(1);
    return turns_back(std::abs(x - low)) ? -slope : slope;
  }
  bool turns_back(T distance) const { return std::fmod(std::floor(distance / span), T(2)) != 0; }

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

/// The taps of kGridBlock points along one dimension: pixels counted from 1, or 0 if outside, the
/// weights, and the derivatives of the weights by the coordinate.
template <class T>
struct AxisTaps {
  int32_t pixels[kMostAxisTaps][kGridBlock];
  T weights[kMostAxisTaps][kGridBlock], slopes[kMostAxisTaps][kGridBlock];
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

/// The pixel of a tap, counted from 1, or 0 if outside.
template <GridPadding padding, class T>
int32_t pixel_of_tap(const Axis<T>& axis, T pixel) {
  // With very many pixels, the last one may have been rounded up.
  const int32_t inner = std::min(static_cast<int32_t>(axis.clip(pixel)), axis.size - 1) + 1;
  if constexpr (padding == GridPadding::zeros) return pixel >= 0 && pixel < axis.count ? inner : 0;
  return inner;
}

/// Computes the taps of `count` coordinates.
template <class T, GridMode mode, GridPadding padding>
void find_taps(const Axis<T>* source, const T* __restrict grid, int64_t count,
               AxisTaps<T>* __restrict taps) {
  const Axis<T> axis = *source;
  for (int64_t p = 0; p < count; ++p) {
    const T position = axis.place_of(grid[p]);
    if constexpr (mode == GridMode::nearest) {
      const T pixel = std::nearbyint(axis.template pad<padding>(position));
      taps->pixels[0][p] = pixel_of_tap<padding>(axis, pixel);
      taps->weights[0][p] = T(1);
    } else if constexpr (mode == GridMode::bilinear) {
      const T inner = axis.template pad<padding>(position);
      const T below = std::floor(inner), fraction = inner - below;
      taps->pixels[0][p] = pixel_of_tap<padding>(axis, below);
      taps->pixels[1][p] = pixel_of_tap<padding>(axis, below + T(1));
      taps->weights[0][p] = T(1) - fraction;
      taps->weights[1][p] = fraction;
    } else {
      const T below = std::floor(position), t = position - below, u = T(1) - t;
      for (int k = 0; k < 4; ++k)
        taps->pixels[k][p] =
            pixel_of_tap<padding>(axis, axis.template pad<padding>(below + static_cast<T>(k - 1)));
      taps->weights[0][p] = Cubic<T>::far(t);
      taps->weights[1][p] = Cubic<T>::near(t);
      taps->weights[2][p] = Cubic<T>::near(u);
      taps->weights[3][p] = Cubic<T>::far(u);
    }
  }
}

/// Computes the slopes of their weights. Not for GridMode::nearest, whose weights are constant.
template <class T, GridMode mode, GridPadding padding>
void find_slopes(const Axis<T>* source, const T* __restrict grid, int64_t count,
                 AxisTaps<T>* __restrict taps) {
  const Axis<T> axis = *source;
  const T unit = axis.slope_of_position();
  for (int64_t p = 0; p < count; ++p) {
    const T position = axis.place_of(grid[p]);
    if constexpr (mode == GridMode::bilinear) {
      const T slope = axis.template slope_of_pad<padding>(position) * unit;
      taps->slopes[0][p] = -slope;
      taps->slopes[1][p] = slope;
    } else {
      const T t = position - std::floor(position), u = T(1) - t;
      taps->slopes[0][p] = Cubic<T>::far_slope(t) * unit;
      taps->slopes[1][p] = Cubic<T>::near_slope(t) * unit;
      taps->slopes[2][p] = -Cubic<T>::near_slope(u) * unit;
      taps->slopes[3][p] = -Cubic<T>::far_slope(u) * unit;
    }
  }
}

}  // namespace tide
