// Weighted sums of elements by position, and their gradients.
#include <immintrin.h>

#include <algorithm>
#include <type_traits>

#include "runtime/cpu/instruction_set.h"
#include "runtime/cpu/native.h"
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
  const int64_t* positions;
  const Wide<T>* weights;  ///< or null: 1

  Taps(const ArrayView& rows, const ArrayView& at, const ArrayView* given)
      : samples(rows.layout.shape[0]),
        channels(rows.layout.shape[1]),
        size(rows.layout.shape[2]),
        taps(at.layout.shape[1]),
        places(at.layout.shape[2]),
        positions(static_cast<const int64_t*>(at.data)),
        weights(given ? static_cast<const Wide<T>*>(given->data) : nullptr) {}

  /// Calls body(sample, begin, end) for parts of the places of each sample.
  template <class Body>
  void for_places(Parallel& parallel, const Body& body) const {
    const int64_t parts = (places + kPlacesTogether - 1) / kPlacesTogether;
    const int64_t work = std::max<int64_t>(1, channels * taps * std::min(places, kPlacesTogether));
    parallel.for_range(samples * parts, std::max<int64_t>(1, kGrain / work),
                       [&](int64_t first, int64_t last) {
                         for (int64_t i = first; i < last; ++i) {
                           const int64_t begin = i % parts * kPlacesTogether;
                           body(i / parts, begin, std::min(places, begin + kPlacesTogether));
                         }
                       });
  }

  const int64_t* positions_of(int64_t sample, int64_t tap) const {
    return positions + (sample * taps + tap) * places;
  }
  const Wide<T>* weights_of(int64_t sample, int64_t tap) const {
    return weights ? weights + (sample * taps + tap) * places : nullptr;
  }
};

/// Positions as offsets, -1 for nowhere: gathers of narrow ones are faster.
void narrow_positions(const int64_t* __restrict positions, int64_t count, int32_t* __restrict at) {
  for (int64_t p = 0; p < count; ++p) at[p] = static_cast<int32_t>(positions[p] - 1);
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

template <class T>
void blend(NativeCall& call) {
  static const auto add = fastest_products<T, Wide<T>>();
  static const auto add_plain = fastest<add_elements<T>>();
  static const auto narrow = fastest<narrow_positions>();
  const Taps<T> g(call.inputs[0], call.inputs[1],
                  call.inputs.size() > 2 ? &call.inputs[2] : nullptr);
  const auto* x = static_cast<const T*>(call.inputs[0].data);
  auto* out = static_cast<T*>(call.outputs[0].data);
  g.for_places(*call.parallel, [&](int64_t sample, int64_t begin, int64_t end) {
    static thread_local Scratch scratch;
    const int64_t count = end - begin;
    auto* at = scratch.get<int32_t>(std::max<int64_t>(1, g.taps * count));
    for (int64_t tap = 0; tap < g.taps; ++tap)
      narrow(g.positions_of(sample, tap) + begin, count, at + tap * count);
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

template <class T>
void blend_backward_input(NativeCall& call) {
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
        const int64_t* at = g.positions_of(plane / g.channels, tap);
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
void blend_backward_weight(NativeCall& call) {
  static const auto add = fastest_products<T, T>();
  static const auto narrow = fastest<narrow_positions>();
  const Taps<T> g(call.inputs[1], call.inputs[2], nullptr);
  const auto* dy = static_cast<const T*>(call.inputs[0].data);
  const auto* x = static_cast<const T*>(call.inputs[1].data);
  auto* dw = static_cast<Wide<T>*>(call.outputs[0].data);
  g.for_places(*call.parallel, [&](int64_t sample, int64_t begin, int64_t end) {
    int32_t at[kPlacesTogether];
    for (int64_t tap = 0; tap < g.taps; ++tap) {
      narrow(g.positions_of(sample, tap) + begin, end - begin, at);
      Wide<T>* to = dw + (sample * g.taps + tap) * g.places + begin;
      std::fill_n(to, end - begin, Wide<T>(0));
      for (int64_t plane = sample * g.channels; plane < (sample + 1) * g.channels; ++plane)
        add(x + plane * g.size, at, dy + plane * g.places + begin, end - begin, to);
    }
  });
}

/// Calls visitor for floating types, if there is anything to do.
template <class Visitor>
void visit_filled(NativeCall& call, Visitor&& visitor) {
  if (call.outputs[0].layout.shape.numel() == 0) return;
  visit_type(call.inputs[0].type, [&](auto tag) {
    if constexpr (is_floating_type<typename decltype(tag)::Type>) visitor(tag);
  });
}

}  // namespace

void native_blend_taps(NativeCall& call) {
  visit_filled(call, [&](auto tag) { blend<typename decltype(tag)::Type>(call); });
}

void native_blend_taps_backward_input(NativeCall& call) {
  visit_filled(call, [&](auto tag) { blend_backward_input<typename decltype(tag)::Type>(call); });
}

void native_blend_taps_backward_weight(NativeCall& call) {
  visit_filled(call, [&](auto tag) { blend_backward_weight<typename decltype(tag)::Type>(call); });
}

}  // namespace tide
