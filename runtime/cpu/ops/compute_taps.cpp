// Weighted sums of elements by position, and their gradients.
#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "runtime/cpu/instruction_set.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/wide_vectors.h"

namespace tide {
namespace {

/// Taps worth a thread, and places that one part takes: their positions and weights stay in cache
/// while it goes through the channels.
constexpr int64_t kGrain = 8192;
constexpr int64_t kPlacesTogether = 1024;

/// Sizes of a call, and its positions and weights.
template <class T>
struct Taps {
  int64_t samples, channels, size, taps, places;
  const int32_t* positions;
  const Wide<T>* weights;  ///< or null: 1

  Taps(const ArrayView& rows, const ArrayView& at, const ArrayView* given)
      : samples(rows.layout.shape[0]),
        channels(rows.layout.shape[1]),
        size(rows.layout.shape[2]),
        taps(at.layout.shape[1]),
        places(at.layout.shape[2]),
        positions(static_cast<const int32_t*>(at.data)),
        weights(given ? static_cast<const Wide<T>*>(given->data) : nullptr) {}

  /// Calls body(sample, begin, end) for parts of the places of each sample from `from` on, below
  /// `to`.
  template <class Body>
  void for_places(Parallel& parallel, int64_t from, int64_t to, const Body& body) const {
    const int64_t parts = (places + kPlacesTogether - 1) / kPlacesTogether;
    const int64_t work = std::max<int64_t>(1, channels * taps * std::min(places, kPlacesTogether));
    parallel.for_range((to - from) * parts, std::max<int64_t>(1, kGrain / work),
                       [&](int64_t first, int64_t last) {
                         for (int64_t i = first; i < last; ++i) {
                           const int64_t begin = i % parts * kPlacesTogether;
                           body(from + i / parts, begin, std::min(places, begin + kPlacesTogether));
                         }
                       });
  }

  const int32_t* positions_of(int64_t sample, int64_t tap) const {
    return positions + (sample * taps + tap) * places;
  }
  const Wide<T>* weights_of(int64_t sample, int64_t tap) const {
    return weights ? weights + (sample * taps + tap) * places : nullptr;
  }
};

/// Positions as offsets, -1 for nowhere.
void find_offsets(const int32_t* __restrict positions, int64_t count, int32_t* __restrict at) {
  for (int64_t p = 0; p < count; ++p) at[p] = positions[p] - 1;
}

/// sums[p] += row[at[p]] * factors[p], unless at[p] is nowhere.
template <class T, class Factor>
void add_products(const T* row, const int32_t* at, const Factor* factors, int64_t count,
                  Wide<T>* sums) {
  for (int64_t p = 0; p < count; ++p) {
    // Not times 0: what lies nowhere may be infinite.
    const auto value = static_cast<Wide<T>>(row[at[p] < 0 ? 0 : at[p]]);
    const Wide<T> term = value * static_cast<Wide<T>>(factors[p]);
    sums[p] += at[p] < 0 ? Wide<T>(0) : term;
  }
}

/// The same for floats, eight at a time: the compiler takes gathers for too slow.
__attribute__((target("avx2"))) void add_products_8(const float* row, const int32_t* at,
                                                    const float* factors, int64_t count,
                                                    float* sums) {
  int64_t p = 0;
  for (; p + 8 <= count; p += 8) {
    const __m256i offsets = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + p));
    const __m256 there = _mm256_castsi256_ps(_mm256_cmpgt_epi32(offsets, _mm256_set1_epi32(-1)));
    const __m256 values = _mm256_mask_i32gather_ps(_mm256_setzero_ps(), row, offsets, there, 4);
    const __m256 terms = _mm256_mul_ps(values, _mm256_loadu_ps(factors + p));
    const __m256 sum = _mm256_add_ps(_mm256_loadu_ps(sums + p), _mm256_and_ps(terms, there));
    _mm256_storeu_ps(sums + p, sum);
  }
  add_products<float, float>(row, at + p, factors + p, count - p, sums + p);
}

template <class T, class Factor>
auto fastest_products() -> decltype(&add_products<T, Factor>) {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<Factor, float>)
    if (instruction_set() != InstructionSet::baseline) return add_products_8;
  return fastest<add_products<T, Factor>>();
}

/// The same with factors of 1.
template <class T>
void add_elements(const T* row, const int32_t* at, int64_t count, Wide<T>* sums) {
  for (int64_t p = 0; p < count; ++p) {
    const auto value = static_cast<Wide<T>>(row[at[p] < 0 ? 0 : at[p]]);
    sums[p] += at[p] < 0 ? Wide<T>(0) : value;
  }
}

/// The same by rows: the channels one after the other, each with all its places.
template <class T>
void blend_rows(ComputeCall& call, const Taps<T>& g) {
  static const auto add = fastest_products<T, Wide<T>>();
  static const auto add_plain = fastest<add_elements<T>>();
  static const auto offsets = fastest<find_offsets>();
  const auto* x = static_cast<const T*>(call.inputs[0].data);
  auto* out = static_cast<T*>(call.outputs[0].data);
  g.for_places(*call.parallel, 0, g.samples, [&](int64_t sample, int64_t begin, int64_t end) {
    static thread_local Scratch scratch;
    const int64_t count = end - begin;
    auto* at = scratch.get<int32_t>(std::max<int64_t>(1, g.taps * count));
    for (int64_t tap = 0; tap < g.taps; ++tap)
      offsets(g.positions_of(sample, tap) + begin, count, at + tap * count);
    Wide<T> sums[kPlacesTogether];
    for (int64_t plane = sample * g.channels; plane < (sample + 1) * g.channels; ++plane) {
      const T* row = x + plane * g.size;
      std::fill_n(sums, count, Wide<T>(0));
      for (int64_t tap = 0; tap < g.taps; ++tap) {
        if (const Wide<T>* weights = g.weights_of(sample, tap))
          add(row, at + tap * count, weights + begin, count, sums);
        else
          add_plain(row, at + tap * count, count, sums);
      }
      for (int64_t p = 0; p < count; ++p)
        out[plane * g.places + begin + p] = static_cast<T>(sums[p]);
    }
  });
}

/// Elements of a sample, all channels of one side by side, filled up with zeros to whole vectors:
/// so one load takes several channels, where rows need a gather. Behind them comes one of zeros,
/// for what lies nowhere.
template <class T>
struct Pixels {
  static constexpr int64_t kMostBytes = int64_t{8} << 20;  ///< of samples that are held at a time

  const Taps<T>& g;
  int64_t width = g.channels <= 4 ? 4 : (g.channels + 7) / 8 * 8;
  int64_t length = (g.size + 1) * width;  ///< of a sample

  /// Whether moving them there takes less than it saves.
  static bool pay(const Taps<T>& g) { return g.channels > 2 && g.size <= g.places * g.taps / 2; }

  int64_t samples_together() const {
    const int64_t bytes = length * static_cast<int64_t>(sizeof(Wide<T>));
    return std::clamp<int64_t>(kMostBytes / bytes, 1, g.samples);
  }
};

/// Vectors as long as there are of them, rows become columns.
template <class Vector, class Mask, int lanes>
__attribute__((always_inline)) inline void transpose(Vector (&rows)[lanes]) {
#pragma GCC unroll 8
  for (int step = 1; step < lanes; step *= 2) {
    Mask low, high;
    for (int lane = 0; lane < lanes; ++lane) {
      low[lane] = lane & step ? lanes + (lane ^ step) : lane;
      high[lane] = lane & step ? lanes + lane : lane ^ step;
    }
#pragma GCC unroll 8
    for (int row = 0; row < lanes; ++row) {
      if (row & step) continue;
      const Vector a = rows[row], b = rows[row | step];
      rows[row] = __builtin_shuffle(a, b, low);
      rows[row | step] = __builtin_shuffle(a, b, high);
    }
  }
}

/// A vector of channels or of places, and what tells its lanes apart.
template <class W, int lanes>
struct LanesOf {
  using Integer = std::conditional_t<sizeof(W) == 8, int64_t, int32_t>;
  typedef W Vector __attribute__((vector_size(lanes * sizeof(W))));
  typedef Integer Mask __attribute__((vector_size(lanes * sizeof(W))));
};

/// pixels[p * width + c] = rows[c * size + p] for p from `begin` on, below `end`.
template <class T, int lanes>
void to_pixels(const T* rows, int64_t size, int64_t channels, int64_t width, int64_t begin,
               int64_t end, Wide<T>* pixels) {
  using Vector = typename LanesOf<Wide<T>, lanes>::Vector;
  using Mask = typename LanesOf<Wide<T>, lanes>::Mask;
  for (int64_t c = 0; c < width; c += lanes)
    for (int64_t p = begin; p < end; p += lanes) {
      const int64_t places = std::min<int64_t>(lanes, end - p);
      Vector block[lanes] = {};
      for (int64_t row = 0; row < std::min<int64_t>(lanes, channels - c); ++row) {
        const T* from = rows + (c + row) * size + p;
        if (places == lanes)
          for (int i = 0; i < lanes; ++i) block[row][i] = static_cast<Wide<T>>(from[i]);
        else
          for (int64_t i = 0; i < places; ++i) block[row][i] = static_cast<Wide<T>>(from[i]);
      }
      transpose<Vector, Mask, lanes>(block);
      for (int64_t i = 0; i < places; ++i)
        std::memcpy(pixels + (p + i) * width + c, &block[i], sizeof(Vector));
    }
}

/// Offsets of pixels and their weights. What lies nowhere is the pixel of zeros, with a weight of
/// 0: the given one may be infinite.
template <class T>
void take_taps(const int32_t* __restrict positions, const Wide<T>* __restrict weights,
               int64_t count, int32_t nowhere, int32_t* __restrict at,
               Wide<T>* __restrict factors) {
  for (int64_t p = 0; p < count; ++p) {
    const int32_t place = positions[p] - 1;
    at[p] = place < 0 ? nowhere : place;
    factors[p] = place < 0 ? Wide<T>(0) : weights ? weights[p] : Wide<T>(1);
  }
}

/// Sums over the taps of `count` places, `lanes` channels at a time, written to rows that are
/// `stride` apart.
template <class T, int lanes>
void blend_pixels(const Wide<T>* pixels, int64_t width, int64_t channels, const int32_t* at,
                  const Wide<T>* factors, int64_t taps, int64_t count, T* out, int64_t stride) {
  using Vector = typename LanesOf<Wide<T>, lanes>::Vector;
  using Mask = typename LanesOf<Wide<T>, lanes>::Mask;
  for (int64_t first = 0; first < count; first += lanes) {
    const int64_t together = std::min<int64_t>(lanes, count - first);
    for (int64_t c = 0; c < channels; c += lanes) {
      Vector sums[lanes] = {};
      for (int64_t p = 0; p < together; ++p) {
        for (int64_t tap = 0; tap < taps; ++tap) {
          const int64_t i = tap * count + first + p;
          Vector pixel;
          std::memcpy(&pixel, pixels + at[i] * width + c, sizeof pixel);
          sums[p] += pixel * factors[i];
        }
      }
      transpose<Vector, Mask, lanes>(sums);
      for (int64_t row = 0; row < std::min<int64_t>(lanes, channels - c); ++row) {
        T* to = out + (c + row) * stride + first;
        if (together == lanes)
          for (int i = 0; i < lanes; ++i) to[i] = static_cast<T>(sums[row][i]);
        else
          for (int64_t i = 0; i < together; ++i) to[i] = static_cast<T>(sums[row][i]);
      }
    }
  }
}

/// blend_rows, by pixels.
template <class T>
void blend_by_pixels(ComputeCall& call, const Taps<T>& g) {
  static const auto move_4 = fastest<to_pixels<T, 4>>();
  static const auto move_8 = fastest<to_pixels<T, 8>>();
  static const auto take = fastest<take_taps<T>>();
  static const auto blend_4 = fastest<blend_pixels<T, 4>>();
  static const auto blend_8 = fastest<blend_pixels<T, 8>>();
  const auto* x = static_cast<const T*>(call.inputs[0].data);
  auto* out = static_cast<T*>(call.outputs[0].data);
  const Pixels<T> layout{g};
  const auto move = layout.width == 4 ? move_4 : move_8;
  const auto blend = layout.width == 4 ? blend_4 : blend_8;
  const int64_t together = layout.samples_together();
  static thread_local Scratch pixel_scratch;
  auto* pixels = pixel_scratch.get<Wide<T>>(together * layout.length);
  for (int64_t first = 0; first < g.samples; first += together) {
    const int64_t last = std::min(g.samples, first + together);
    call.parallel->for_range(
        (last - first) * g.size, std::max<int64_t>(1, 4 * kGrain / layout.width),
        [&](int64_t begin, int64_t end) {
          while (begin < end) {
            const int64_t sample = begin / g.size, from = begin % g.size;
            const int64_t to = std::min(g.size, from + end - begin);
            Wide<T>* own = pixels + sample * layout.length;
            if (from == 0) std::fill_n(own + g.size * layout.width, layout.width, Wide<T>(0));
            move(x + (first + sample) * g.channels * g.size, g.size, g.channels, layout.width, from,
                 to, own);
            begin += to - from;
          }
        });
    g.for_places(*call.parallel, first, last, [&](int64_t sample, int64_t begin, int64_t end) {
      static thread_local Scratch at_scratch, factor_scratch;
      const int64_t count = end - begin;
      auto* at = at_scratch.get<int32_t>(g.taps * count);
      auto* factors = factor_scratch.get<Wide<T>>(g.taps * count);
      for (int64_t tap = 0; tap < g.taps; ++tap) {
        const Wide<T>* weights = g.weights_of(sample, tap);
        take(g.positions_of(sample, tap) + begin, weights ? weights + begin : nullptr, count,
             static_cast<int32_t>(g.size), at + tap * count, factors + tap * count);
      }
      blend(pixels + (sample - first) * layout.length, layout.width, g.channels, at, factors,
            g.taps, count, out + sample * g.channels * g.places + begin, g.places);
    });
  }
}

template <class T>
void blend(ComputeCall& call) {
  const Taps<T> g(call.inputs[0], call.inputs[1],
                  call.inputs.size() > 2 ? &call.inputs[2] : nullptr);
  Pixels<T>::pay(g) ? blend_by_pixels<T>(call, g) : blend_rows<T>(call, g);
}

template <class T>
void blend_backward_input(ComputeCall& call) {
  const Taps<T> g(call.outputs[0], call.inputs[1],
                  call.inputs.size() > 2 ? &call.inputs[2] : nullptr);
  const auto* dy = static_cast<const T*>(call.inputs[0].data);
  auto* dx = static_cast<T*>(call.outputs[0].data);
  // Places may meet, so one part takes all of a plane, in order.
  call.parallel->for_range(g.samples * g.channels, 1, [&](int64_t first, int64_t last) {
    static thread_local Scratch scratch;
    for (int64_t plane = first; plane < last; ++plane) {
      T* to = dx + plane * g.size;
      const T* from = dy + plane * g.places;
      Wide<T>* sums;
      if constexpr (std::is_same_v<T, Wide<T>>)
        sums = to;
      else
        sums = scratch.get<Wide<T>>(g.size);
      std::fill_n(sums, g.size, Wide<T>(0));
      for (int64_t tap = 0; tap < g.taps; ++tap) {
        const int32_t* at = g.positions_of(plane / g.channels, tap);
        const Wide<T>* weight = g.weights_of(plane / g.channels, tap);
        for (int64_t p = 0; p < g.places; ++p) {
          if (at[p] < 1) continue;
          const auto slope = static_cast<Wide<T>>(from[p]);
          sums[at[p] - 1] += weight ? slope * weight[p] : slope;
        }
      }
      if constexpr (!std::is_same_v<T, Wide<T>>)
        for (int64_t i = 0; i < g.size; ++i) to[i] = static_cast<T>(sums[i]);
    }
  });
}

template <class T>
void blend_backward_weight(ComputeCall& call) {
  static const auto add = fastest_products<T, T>();
  static const auto offsets = fastest<find_offsets>();
  const Taps<T> g(call.inputs[1], call.inputs[2], nullptr);
  const auto* dy = static_cast<const T*>(call.inputs[0].data);
  const auto* x = static_cast<const T*>(call.inputs[1].data);
  auto* dw = static_cast<Wide<T>*>(call.outputs[0].data);
  g.for_places(*call.parallel, 0, g.samples, [&](int64_t sample, int64_t begin, int64_t end) {
    int32_t at[kPlacesTogether];
    for (int64_t tap = 0; tap < g.taps; ++tap) {
      offsets(g.positions_of(sample, tap) + begin, end - begin, at);
      Wide<T>* to = dw + (sample * g.taps + tap) * g.places + begin;
      std::fill_n(to, end - begin, Wide<T>(0));
      for (int64_t plane = sample * g.channels; plane < (sample + 1) * g.channels; ++plane)
        add(x + plane * g.size, at, dy + plane * g.places + begin, end - begin, to);
    }
  });
}

/// Calls visitor for floating types, if there is anything to do.
template <class Visitor>
void visit_filled(ComputeCall& call, Visitor&& visitor) {
  if (call.outputs[0].layout.shape.numel() == 0) return;
  visit_type(call.inputs[0].type, [&](auto tag) {
    if constexpr (is_floating_type<typename decltype(tag)::Type>) visitor(tag);
  });
}

}  // namespace

void compute_blend_taps(ComputeCall& call) {
  visit_filled(call, [&](auto tag) { blend<typename decltype(tag)::Type>(call); });
}

void compute_blend_taps_backward_input(ComputeCall& call) {
  visit_filled(call, [&](auto tag) { blend_backward_input<typename decltype(tag)::Type>(call); });
}

void compute_blend_taps_backward_weight(ComputeCall& call) {
  visit_filled(call, [&](auto tag) { blend_backward_weight<typename decltype(tag)::Type>(call); });
}

}  // namespace tide
