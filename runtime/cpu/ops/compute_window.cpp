// Weighted sums over windows along one dimension.
#include <algorithm>
#include <cstring>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/pixel_blocks.h"
#include "runtime/cpu/wide_vectors.h"
#include "runtime/cpu/workspace.h"

namespace tide {
namespace {

/// Products worth a thread.
constexpr int64_t kGrain = 16384;

/// Sums from x (blocks, from, inner) to (blocks, to, inner).
template <class T>
struct Windows {
  int64_t blocks, from, inner, to, taps;
  const int64_t* positions;  ///< (to, taps), from 1
  const T* weights;
};

/// Computes the windows begin to end of a block, each a row of `inner` elements.
template <class T>
void sum_rows(const Windows<T>* source, const T* __restrict x, int64_t begin, int64_t end,
              T* __restrict out) {
  const Windows<T> w = *source;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t* positions = w.positions + i * w.taps;
    const T* weights = w.weights + i * w.taps;
    T* const to = out + i * w.inner;
    const auto row = [&](int64_t k) { return x + (positions[k] - 1) * w.inner; };
    const T *first = row(0), first_weight = weights[0];
    if (w.taps == 1) {
      for (int64_t j = 0; j < w.inner; ++j) to[j] = first[j] * first_weight;
      continue;
    }
    const T *second = row(1), second_weight = weights[1];
    for (int64_t j = 0; j < w.inner; ++j)
      to[j] = first[j] * first_weight + second[j] * second_weight;
    for (int64_t k = 2; k < w.taps; ++k) {
      const T *next = row(k), weight = weights[k];
      for (int64_t j = 0; j < w.inner; ++j) to[j] += next[j] * weight;
    }
  }
}

/// Computes up to `lanes` blocks, `rows`, whose windows go along the last dimension: transposed,
/// side by side.
template <class T, int lanes>
void sum_lanes(const Windows<T>* source, const T* x, int64_t rows, T* transposed, T* out) {
  using Vector = typename LanesOf<T, lanes>::Vector;
  const Windows<T> w = *source;
  to_pixels<T, lanes>(x, w.from, rows, lanes, 0, w.from, transposed);
  for (int64_t first = 0; first < w.to; first += lanes) {
    const int64_t together = std::min<int64_t>(lanes, w.to - first);
    Vector sums[lanes] = {};
    for (int64_t i = 0; i < together; ++i) {
      const int64_t* positions = w.positions + (first + i) * w.taps;
      const T* weights = w.weights + (first + i) * w.taps;
      Vector sum, value;
      for (int64_t k = 0; k < w.taps; ++k) {
        std::memcpy(&value, transposed + (positions[k] - 1) * lanes, sizeof value);
        value *= weights[k];
        sum = k == 0 ? value : sum + value;
      }
      sums[i] = sum;
    }
    store_block<T, lanes>(sums, out + first, w.to, rows, together);
  }
}

template <class T>
void window_sums(ComputeCall& call) {
  const Shape &x_shape = call.inputs[0].layout.shape, &windows = call.inputs[1].layout.shape;
  const Windows<T> w{x_shape[0],
                     x_shape[1],
                     x_shape[2],
                     windows[0],
                     windows[1],
                     static_cast<const int64_t*>(call.inputs[1].data),
                     static_cast<const T*>(call.inputs[2].data)};
  const auto* x = static_cast<const T*>(call.inputs[0].data);
  auto* out = static_cast<T*>(call.outputs[0].data);
  if (w.inner > 1) {
    static const auto sum = fastest<sum_rows<T>>();
    call.parallel->for_range(w.blocks * w.to, std::max<int64_t>(1, kGrain / (w.inner * w.taps)),
                             [&](int64_t begin, int64_t end) {
                               while (begin < end) {
                                 const int64_t block = begin / w.to, first = begin % w.to;
                                 const int64_t last = std::min(w.to, first + end - begin);
                                 sum(&w, x + block * w.from * w.inner, first, last,
                                     out + block * w.to * w.inner);
                                 begin += last - first;
                               }
                             });
    return;
  }
  const int lanes = lanes_for<T>(w.blocks);
  const auto sum =
      form_for<T>(lanes, [](auto n) { return form<sum_lanes<T, n>, n * sizeof(T)>(); });
  call.parallel->for_range((w.blocks + lanes - 1) / lanes,
                           std::max<int64_t>(1, kGrain / (lanes * (w.to * w.taps + w.from))),
                           [&](int64_t begin, int64_t end) {
                             static thread_local Workspace workspace;
                             T* const transposed = workspace.get<T>(w.from * lanes);
                             for (int64_t i = begin; i < end; ++i) {
                               const int64_t first = i * lanes,
                                             rows = std::min<int64_t>(lanes, w.blocks - first);
                               sum(&w, x + first * w.from, rows, transposed, out + first * w.to);
                             }
                           });
}

}  // namespace

void compute_window_sums(ComputeCall& call) {
  if (call.outputs[0].layout.shape.numel() == 0) return;
  call.inputs[0].type == DType::f64 ? window_sums<double>(call) : window_sums<float>(call);
}

}  // namespace tide
