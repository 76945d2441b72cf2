// The transforms of Winograd's convolution, as a template over the vector registers of one
// instruction set, whose lanes are channels. Included only by the winograd_*.cpp files, one for
// each instruction set.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/cpu/winograd/winograd.h"

namespace tide {

template <class V>
struct Winograd {
  using Vector = typename V::Vector;
  static constexpr int kLanes = V::kLanes;
  static constexpr int kSide = kWinogradSide, kTile = kWinogradTile;

  // The points +-a, +-b, and G's factors: 1 / the product of the distances between points.
  static constexpr float a = 0.625f, b = 1.5f, a2 = a * a, b2 = b * b;
  static constexpr float kAtZero = 1 / (a2 * b2), kAtA = 1 / (2 * a2 * (a2 - b2)),
                         kAtB = 1 / (2 * b2 * (b2 - a2));

#define TIDE_INLINE TIDE_VECTOR_TARGET __attribute__((always_inline)) static inline

  /// x * factor + y.
  TIDE_INLINE Vector scaled(Vector x, float factor, Vector y) {
    return V::multiply_add(x, V::broadcast(factor), y);
  }
  TIDE_INLINE Vector scaled(Vector x, float factor) { return V::multiply(x, V::broadcast(factor)); }

  // One dimension of each transform.

  /// B^T x, for inputs.
  TIDE_INLINE void points(const Vector (&x)[6], Vector (&y)[6]) {
    const Vector even_a = scaled(x[2], -b2, x[4]), odd_a = scaled(x[1], -b2, x[3]);
    const Vector even_b = scaled(x[2], -a2, x[4]), odd_b = scaled(x[1], -a2, x[3]);
    y[0] = scaled(x[0], a2 * b2, scaled(x[2], -(a2 + b2), x[4]));
    y[1] = scaled(odd_a, a, even_a);
    y[2] = scaled(odd_a, -a, even_a);
    y[3] = scaled(odd_b, b, even_b);
    y[4] = scaled(odd_b, -b, even_b);
    y[5] = scaled(x[1], a2 * b2, scaled(x[3], -(a2 + b2), x[5]));
  }

  /// A x, for slopes.
  TIDE_INLINE void points(const Vector (&x)[4], Vector (&y)[6]) {
    const Vector even_a = scaled(x[2], a2, x[0]), odd_a = scaled(x[3], a2, x[1]);
    const Vector even_b = scaled(x[2], b2, x[0]), odd_b = scaled(x[3], b2, x[1]);
    y[0] = x[0];
    y[1] = scaled(odd_a, a, even_a);
    y[2] = scaled(odd_a, -a, even_a);
    y[3] = scaled(odd_b, b, even_b);
    y[4] = scaled(odd_b, -b, even_b);
    y[5] = x[3];
  }

  /// A^T x.
  TIDE_INLINE void output_points(const Vector (&x)[6], Vector (&y)[4]) {
    const Vector even_a = V::add(x[1], x[2]), odd_a = V::subtract(x[1], x[2]);
    const Vector even_b = V::add(x[3], x[4]), odd_b = V::subtract(x[3], x[4]);
    y[0] = V::add(x[0], V::add(even_a, even_b));
    y[1] = scaled(odd_a, a, scaled(odd_b, b));
    y[2] = scaled(even_a, a2, scaled(even_b, b2));
    y[3] = scaled(odd_a, a * a2, scaled(odd_b, b * b2, x[5]));
  }

  /// G x.
  TIDE_INLINE void filter_points(const Vector (&x)[3], Vector (&y)[6]) {
    const Vector even_a = scaled(scaled(x[2], a2, x[0]), kAtA);
    const Vector even_b = scaled(scaled(x[2], b2, x[0]), kAtB);
    y[0] = scaled(x[0], kAtZero);
    y[1] = scaled(x[1], a * kAtA, even_a);
    y[2] = scaled(x[1], -a * kAtA, even_a);
    y[3] = scaled(x[1], b * kAtB, even_b);
    y[4] = scaled(x[1], -b * kAtB, even_b);
    y[5] = x[2];
  }

  /// G^T x.
  TIDE_INLINE void filter_taps(const Vector (&x)[6], Vector (&y)[3]) {
    const Vector even_a = scaled(V::add(x[1], x[2]), kAtA);
    const Vector odd_a = scaled(V::subtract(x[1], x[2]), a * kAtA);
    const Vector even_b = scaled(V::add(x[3], x[4]), kAtB);
    const Vector odd_b = scaled(V::subtract(x[3], x[4]), b * kAtB);
    y[0] = scaled(x[0], kAtZero, V::add(even_a, even_b));
    y[1] = V::add(odd_a, odd_b);
    y[2] = scaled(even_a, a2, scaled(even_b, b2, x[5]));
  }

  // Planes to lanes and back.

  /// to[i * kLanes + lane] = from[lane * stride + i] for `count` elements.
  TIDE_INLINE void rows_to_lanes(const float* from, int64_t stride, int64_t count, float* to) {
    for (int lane = 0; lane < kLanes; lane += 4) {
      const float* rows = from + lane * stride;
      int64_t i = 0;
      for (; i + 4 <= count; i += 4) transpose(rows + i, stride, to + i * kLanes + lane, kLanes);
      for (; i < count; ++i)
        for (int k = 0; k < 4; ++k) to[i * kLanes + lane + k] = rows[k * stride + i];
    }
  }

  /// to[lane * stride + i] = from[i * kLanes + lane] for `count` elements.
  TIDE_INLINE void lanes_to_rows(const float* from, int64_t count, float* to, int64_t stride) {
    for (int lane = 0; lane < kLanes; lane += 4) {
      float* rows = to + lane * stride;
      int64_t i = 0;
      for (; i + 4 <= count; i += 4) transpose(from + i * kLanes + lane, kLanes, rows + i, stride);
      for (; i < count; ++i)
        for (int k = 0; k < 4; ++k) rows[k * stride + i] = from[i * kLanes + lane + k];
    }
  }

  /// Copies `count` vectors.
  TIDE_INLINE void copy_lanes(const float* from, int64_t from_stride, int64_t count, float* to,
                              int64_t to_stride) {
    for (int64_t i = 0; i < count; ++i)
      V::store(to + i * to_stride, V::load(from + i * from_stride));
  }

  /// Transposes 4 x 4 elements.
  TIDE_INLINE void transpose(const float* from, int64_t from_stride, float* to, int64_t to_stride) {
    __m128 r0 = _mm_loadu_ps(from), r1 = _mm_loadu_ps(from + from_stride);
    __m128 r2 = _mm_loadu_ps(from + 2 * from_stride), r3 = _mm_loadu_ps(from + 3 * from_stride);
    _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
    _mm_storeu_ps(to, r0);
    _mm_storeu_ps(to + to_stride, r1);
    _mm_storeu_ps(to + 2 * to_stride, r2);
    _mm_storeu_ps(to + 3 * to_stride, r3);
  }

  /// Loads the rows from strip.top on as to[row][column][lane], with zeros outside of the planes.
  TIDE_INLINE void load_rows(const WinogradStrip& strip, const float* planes, int rows,
                             int64_t columns, float* to) {
    const int64_t first = std::max<int64_t>(0, -strip.left);
    const int64_t last = std::clamp<int64_t>(strip.width - strip.left, first, columns);
    for (int r = 0; r < rows; ++r, to += columns * kLanes) {
      const int64_t y = strip.top + r;
      if (y < 0 || y >= strip.height) {
        std::fill_n(to, columns * kLanes, 0.0f);
        continue;
      }
      std::fill_n(to, first * kLanes, 0.0f);
      const float* from = planes + (y * strip.width + strip.left + first) * strip.pixel_stride;
      if (strip.channel_stride == 1)
        copy_lanes(from, strip.pixel_stride, last - first, to + first * kLanes, kLanes);
      else
        rows_to_lanes(from, strip.channel_stride, last - first, to + first * kLanes);
      std::fill_n(to + last * kLanes, (columns - last) * kLanes, 0.0f);
    }
  }

  // Strips.

  /// The values at the points of tiles: of 6 x 6 inputs, which share two columns with their
  /// neighbours, or of 4 x 4 slopes.
  template <int kFrom>
  TIDE_VECTOR_TARGET static void to_points(const WinogradStrip& strip, const float* planes,
                                           WinogradValues<float> to, float* workspace) {
    const int64_t columns = kTile * strip.tiles + kFrom - kTile, row = columns * kLanes;
    load_rows(strip, planes, kFrom, columns, workspace);
    Vector x[kFrom], y[kSide];
    // Along the columns, in place.
    for (float* column = workspace; column < workspace + row; column += kLanes) {
#pragma GCC unroll 6
      for (int i = 0; i < kFrom; ++i) x[i] = V::load(column + i * row);
      points(x, y);
#pragma GCC unroll 6
      for (int i = 0; i < kSide; ++i) V::store(column + i * row, y[i]);
    }
    for (int64_t tile = 0; tile < strip.tiles; ++tile)
      for (int r = 0; r < kSide; ++r) {
        const float* from = workspace + r * row + tile * kTile * kLanes;
        float* values = to.data + r * kSide * to.point_stride + tile * to.tile_stride;
#pragma GCC unroll 6
        for (int i = 0; i < kFrom; ++i) x[i] = V::load(from + i * kLanes);
        points(x, y);
#pragma GCC unroll 6
        for (int i = 0; i < kSide; ++i) V::store(values + i * to.point_stride, y[i]);
      }
  }

  TIDE_VECTOR_TARGET static void output(const WinogradStrip& strip,
                                        WinogradValues<const float> from, const float* bias,
                                        float* planes, float* workspace) {
    const int64_t columns = kTile * strip.tiles, row = columns * kLanes;
    const Vector offset = bias ? V::load(bias) : V::broadcast(0);
    Vector x[6], y[4];
    alignas(64) float half[kTile * kSide * kLanes];
    for (int64_t tile = 0; tile < strip.tiles; ++tile) {
      const float* values = from.data + tile * from.tile_stride;
      for (int c = 0; c < kSide; ++c) {
#pragma GCC unroll 6
        for (int i = 0; i < 6; ++i) x[i] = V::load(values + (i * kSide + c) * from.point_stride);
        output_points(x, y);
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) V::store(half + (i * kSide + c) * kLanes, y[i]);
      }
      for (int r = 0; r < kTile; ++r) {
#pragma GCC unroll 6
        for (int i = 0; i < 6; ++i) x[i] = V::load(half + (r * kSide + i) * kLanes);
        output_points(x, y);
        float* to = workspace + r * row + tile * kTile * kLanes;
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) V::store(to + i * kLanes, V::add(y[i], offset));
      }
    }
    const int64_t rows = std::min<int64_t>(kTile, strip.height - strip.top);
    const int64_t count = std::min(columns, strip.width);
    for (int64_t r = 0; r < rows; ++r) {
      float* to = planes + (strip.top + r) * strip.width * strip.pixel_stride;
      if (strip.channel_stride == 1)
        copy_lanes(workspace + r * row, kLanes, count, to, strip.pixel_stride);
      else
        lanes_to_rows(workspace + r * row, count, to, strip.channel_stride);
    }
  }

  // Filters.

  TIDE_VECTOR_TARGET static void filter(const float* filters, WinogradFilterStrides strides,
                                        bool flipped, float* to, int64_t point_stride) {
    alignas(64) float taps[9 * kLanes], half[kSide * 3 * kLanes];
    if (strides.tap == 1)
      rows_to_lanes(filters, strides.lane, 9, taps);
    else
      for (int tap = 0; tap < 9; ++tap)
        for (int lane = 0; lane < kLanes; ++lane)
          taps[tap * kLanes + lane] = filters[tap * strides.tap + lane * strides.lane];
    Vector x[3], y[6];
    for (int c = 0; c < 3; ++c) {
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) {
        const int tap = i * 3 + c;
        x[i] = V::load(taps + (flipped ? 8 - tap : tap) * kLanes);
      }
      filter_points(x, y);
#pragma GCC unroll 6
      for (int i = 0; i < 6; ++i) V::store(half + (i * 3 + c) * kLanes, y[i]);
    }
    for (int r = 0; r < kSide; ++r) {
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) x[i] = V::load(half + (r * 3 + i) * kLanes);
      filter_points(x, y);
#pragma GCC unroll 6
      for (int i = 0; i < 6; ++i) V::store(to + (r * kSide + i) * point_stride, y[i]);
    }
  }

  TIDE_VECTOR_TARGET static void filter_gradient(const float* from, int64_t point_stride,
                                                 float* filters, WinogradFilterStrides strides) {
    alignas(64) float taps[9 * kLanes], half[3 * kSide * kLanes];
    Vector x[6], y[3];
    for (int c = 0; c < kSide; ++c) {
#pragma GCC unroll 6
      for (int i = 0; i < 6; ++i) x[i] = V::load(from + (i * kSide + c) * point_stride);
      filter_taps(x, y);
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) V::store(half + (i * kSide + c) * kLanes, y[i]);
    }
    for (int r = 0; r < 3; ++r) {
#pragma GCC unroll 6
      for (int i = 0; i < 6; ++i) x[i] = V::load(half + (r * kSide + i) * kLanes);
      filter_taps(x, y);
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) V::store(taps + (r * 3 + i) * kLanes, y[i]);
    }
    if (strides.tap == 1)
      lanes_to_rows(taps, 9, filters, strides.lane);
    else
      for (int tap = 0; tap < 9; ++tap)
        for (int lane = 0; lane < kLanes; ++lane)
          filters[tap * strides.tap + lane * strides.lane] = taps[tap * kLanes + lane];
  }

#undef TIDE_INLINE

  static constexpr WinogradKernel kernel() {
    return {kLanes, to_points<kSide>, to_points<kTile>, output, filter, filter_gradient};
  }
};

}  // namespace tide
