// The pixels that coordinates of a grid look at along one dimension, their weights, and how the
// weights change with the coordinate. Each operation is the one that
// runtime/ops/nn/grid_sample.cpp composes on other devices, so that a weight has the same bits
// however it is computed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "runtime/ir/grid_mode.h"

namespace tide {

/// Places whose taps are computed together, in the first cache.
constexpr int64_t kGridTogether = 128;
constexpr int kMostAxisTaps = 4;

/// Taps of one dimension.
constexpr int taps_along(GridMode mode) {
  return mode == GridMode::nearest ? 1 : mode == GridMode::bilinear ? 2 : kMostAxisTaps;
}

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

/// What a dimension adds to the taps of kGridTogether places: pixels from 1, or 0 for one outside,
/// the weights, and how a weight changes with the coordinate.
template <class T>
struct AxisTaps {
  int32_t pixels[kMostAxisTaps][kGridTogether];
  T weights[kMostAxisTaps][kGridTogether], slopes[kMostAxisTaps][kGridTogether];
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

/// The taps of `count` coordinates.
template <class T, GridMode mode, GridPadding padding>
void find_taps(const Axis<T>* given, const T* __restrict grid, int64_t count,
               AxisTaps<T>* __restrict taps) {
  const Axis<T> axis = *given;
  for (int64_t p = 0; p < count; ++p) {
    const T place = axis.place_of(grid[p]);
    if constexpr (mode == GridMode::nearest) {
      const T pixel = std::nearbyint(axis.template pad<padding>(place));
      taps->pixels[0][p] = held<padding>(axis, pixel);
      taps->weights[0][p] = T(1);
    } else if constexpr (mode == GridMode::bilinear) {
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

/// Their slopes. Not for GridMode::nearest, whose weights do not change.
template <class T, GridMode mode, GridPadding padding>
void find_slopes(const Axis<T>* given, const T* __restrict grid, int64_t count,
                 AxisTaps<T>* __restrict taps) {
  const Axis<T> axis = *given;
  const T unit = axis.slope_of_place();
  for (int64_t p = 0; p < count; ++p) {
    const T place = axis.place_of(grid[p]);
    if constexpr (mode == GridMode::bilinear) {
      const T slope = axis.template slope_of_pad<padding>(place) * unit;
      taps->slopes[0][p] = -slope;
      taps->slopes[1][p] = slope;
    } else {
      const T t = place - std::floor(place), u = T(1) - t;
      taps->slopes[0][p] = Cubic<T>::far_slope(t) * unit;
      taps->slopes[1][p] = Cubic<T>::near_slope(t) * unit;
      taps->slopes[2][p] = -Cubic<T>::near_slope(u) * unit;
      taps->slopes[3][p] = -Cubic<T>::far_slope(u) * unit;
    }
  }
}

}  // namespace tide
