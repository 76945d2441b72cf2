// Transposed planes, where all channels of a pixel are adjacent: one load then reads several
// channels, where rows would need a gather.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime/cpu/wide_vectors.h"

namespace tide {

/// A vector of channels or of pixels, and the mask for shuffling its lanes.
template <class W, int lanes>
struct LanesOf {
  using Integer = std::conditional_t<sizeof(W) == 8, int64_t, int32_t>;
  typedef W Vector __attribute__((vector_size(lanes * sizeof(W))));
  typedef Integer Mask __attribute__((vector_size(lanes * sizeof(W))));
};

/// Number of lanes for `channels`: a full register, or half of one if the other half would be
/// empty.
template <class W>
int lanes_for(int64_t channels) {
  const bool widest = instruction_set() == InstructionSet::avx512;
  const int most = (widest ? 64 : 32) / static_cast<int>(sizeof(W)), half = most / 2;
  if (channels <= 4) return 4;
  return half >= 4 && (channels - 1) % most < half ? half : most;
}

/// A kernel for vectors of this size: those of 64 bytes are used only where registers hold them.
template <auto kernel, size_t bytes, class Result, class... Arguments>
auto form_of(Result (*)(Arguments...)) -> Result (*)(Arguments...) {
  if constexpr (bytes == 64)
    return &on_avx512<kernel, Arguments...>;
  else
    return fastest<kernel>();
}
template <auto kernel, size_t bytes>
auto form() {
  return form_of<kernel, bytes>(kernel);
}

/// Calls choose(N) for the constant N that equals `lanes`, a value that lanes_for returned.
template <class W, class Choose>
auto form_for(int lanes, const Choose& choose) {
  using std::integral_constant;
  if constexpr (sizeof(W) == 4)
    if (lanes == 16) return choose(integral_constant<int, 16>());
  return lanes == 8 ? choose(integral_constant<int, 8>()) : choose(integral_constant<int, 4>());
}

/// Transposes a square block: rows become columns.
template <class W, int lanes>
__attribute__((always_inline)) inline void transpose(
    typename LanesOf<W, lanes>::Vector (&rows)[lanes]) {
  using Vector = typename LanesOf<W, lanes>::Vector;
#pragma GCC unroll 8
  for (int step = 1; step < lanes; step *= 2) {
    typename LanesOf<W, lanes>::Mask low, high;
    for (int lane = 0; lane < lanes; ++lane) {
      low[lane] = lane & step ? lanes + (lane ^ step) : lane;
      high[lane] = lane & step ? lanes + lane : lane ^ step;
    }
#pragma GCC unroll 16
    for (int row = 0; row < lanes; ++row) {
      if (row & step) continue;
      const Vector a = rows[row], b = rows[row | step];
      rows[row] = __builtin_shuffle(a, b, low);
      rows[row | step] = __builtin_shuffle(a, b, high);
    }
  }
}

/// The first `columns` elements of up to `lanes` rows, transposed: block[p] holds column p. Missing
/// elements are 0.
template <class T, int lanes>
__attribute__((always_inline)) inline void load_block(
    const T* rows, int64_t stride, int64_t row_count, int64_t columns,
    typename LanesOf<T, lanes>::Vector (&block)[lanes]) {
  for (auto& row : block) row = typename LanesOf<T, lanes>::Vector{};
  for (int64_t row = 0; row < std::min<int64_t>(lanes, row_count); ++row) {
    const T* from = rows + row * stride;
    if (columns == lanes)
      std::memcpy(&block[row], from, sizeof block[row]);
    else
      for (int64_t i = 0; i < columns; ++i) block[row][i] = from[i];
  }
  transpose<T, lanes>(block);
}

/// The inverse: stores block[p] to column p of up to `lanes` rows. Leaves the block transposed.
template <class T, int lanes>
__attribute__((always_inline)) inline void store_block(
    typename LanesOf<T, lanes>::Vector (&block)[lanes], T* rows, int64_t stride, int64_t row_count,
    int64_t columns) {
  transpose<T, lanes>(block);
  for (int64_t row = 0; row < std::min<int64_t>(lanes, row_count); ++row) {
    T* to = rows + row * stride;
    if (columns == lanes)
      std::memcpy(to, &block[row], sizeof block[row]);
    else
      for (int64_t i = 0; i < columns; ++i) to[i] = block[row][i];
  }
}

/// pixels[p * width + c] = rows[c * size + p] for p in [begin, end); channels up to `width`, a
/// multiple of `lanes`, are 0.
template <class T, int lanes>
void to_pixels(const T* rows, int64_t size, int64_t channels, int64_t width, int64_t begin,
               int64_t end, T* pixels) {
  for (int64_t c = 0; c < width; c += lanes)
    for (int64_t p = begin; p < end; p += lanes) {
      const int64_t columns = std::min<int64_t>(lanes, end - p);
      typename LanesOf<T, lanes>::Vector block[lanes];
      load_block<T, lanes>(rows + c * size + p, size, channels - c, columns, block);
      for (int64_t i = 0; i < columns; ++i)
        std::memcpy(pixels + (p + i) * width + c, &block[i], sizeof block[i]);
    }
}

/// rows[c * size + p] = pixels[p * lanes + c] for up to `lanes` channels.
template <class T, int lanes>
void from_pixels(const T* pixels, int64_t size, int64_t channels, T* rows) {
  for (int64_t p = 0; p < size; p += lanes) {
    const int64_t columns = std::min<int64_t>(lanes, size - p);
    typename LanesOf<T, lanes>::Vector block[lanes] = {};
    std::memcpy(block, pixels + p * lanes, static_cast<size_t>(columns) * sizeof block[0]);
    store_block<T, lanes>(block, rows + p, size, channels, columns);
  }
}

}  // namespace tide
