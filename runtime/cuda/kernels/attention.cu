// Attention that cuDNN does not support: a warp per row iterates over the keys and keeps the
// maximum score and the sums so far, so scores are never stored (M. Milakov, N. Gimelshein, "Online
// normalizer calculation for softmax", 2018). Only results are rounded.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {
namespace {

constexpr int kWarp = 32, kOwn = kMostFeatures / kWarp;

/// A row of features: each lane of a warp holds every 32nd.
struct Row {
  float x[kOwn] = {};
};

template <class T>
__device__ Row load(const T* from, int64_t features) {
  Row row;
#pragma unroll
  for (int k = 0; k < kOwn; ++k) {
    const int d = static_cast<int>(threadIdx.x % kWarp) + k * kWarp;
    if (d < features) row.x[k] = widen(from[d]);
  }
  return row;
}

template <class T>
__device__ void store(T* to, int64_t features, const Row& row) {
#pragma unroll
  for (int k = 0; k < kOwn; ++k) {
    const int d = static_cast<int>(threadIdx.x % kWarp) + k * kWarp;
    if (d < features) to[d] = narrow<T>(row.x[k]);
  }
}

/// The result is the same in all lanes; summed in a fixed order.
__device__ float dot(const Row& a, const Row& b) {
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kOwn; ++k) sum = __fmaf_rn(a.x[k], b.x[k], sum);
#pragma unroll
  for (int step = kWarp / 2; step; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  return sum;
}

/// to = to * keep + factor * x
__device__ void add(Row& to, float keep, float factor, const Row& x) {
#pragma unroll
  for (int k = 0; k < kOwn; ++k) to.x[k] = __fmaf_rn(factor, x.x[k], to.x[k] * keep);
}

/// The stack and head of a row, for its offsets.
struct Head {
  int64_t stack, head;
  __device__ int64_t of(const int64_t (&strides)[3], int64_t row) const {
    return stack * strides[0] + head * strides[1] + row * strides[2];
  }
};

/// The mask's value for a score.
__device__ float addend(const AttentionArguments& g, const Head& head, int64_t row, int64_t key) {
  return g.mask ? g.mask[head.of(g.mask_strides, row) + key] : 0;
}

__device__ int64_t warp_number() { return thread_number() / kWarp; }
__device__ int64_t warp_count() { return thread_count() / kWarp; }

template <class T>
__device__ void attend(const AttentionArguments& g) {
  for (int64_t i = warp_number(); i < g.stacks * g.heads * g.rows; i += warp_count()) {
    const int64_t row = i % g.rows;
    const Head head{i / g.rows / g.heads, i / g.rows % g.heads};
    const Row query =
        load(static_cast<const T*>(g.query) + head.of(g.query_strides, row), g.features);
    const int64_t seen = g.causal && row < g.keys ? row + 1 : g.keys;
    float most = -INFINITY, sum = 0;
    Row result;
    for (int64_t j = 0; j < seen; ++j) {
      const Row key = load(static_cast<const T*>(g.key) + head.of(g.key_strides, j), g.features);
      const Row value =
          load(static_cast<const T*>(g.value) + head.of(g.value_strides, j), g.features);
      const float score = g.scale * dot(query, key) + addend(g, head, row, j), before = most;
      most = fmaxf(most, score);
      const float keep = before == most ? 1.0f : expf(before - most), weight = expf(score - most);
      sum = sum * keep + weight;
      add(result, keep, weight, value);
    }
#pragma unroll
    for (int k = 0; k < kOwn; ++k) result.x[k] /= sum;
    store(static_cast<T*>(g.result) + i * g.features, g.features, result);
    if (threadIdx.x % kWarp == 0) g.logarithms[i] = most + logf(sum);
  }
}

/// A score's weight, and the gradient by the score. `mean`: dot product of slope and result.
struct Slopes {
  float weight, by_score;
};
__device__ Slopes slopes_of(const AttentionArguments& g, float added, float logarithm,
                            const Row& query, const Row& key, const Row& value, const Row& slope,
                            float mean) {
  const float weight = expf(g.scale * dot(query, key) + added - logarithm);
  return {weight, g.scale * weight * (dot(slope, value) - mean)};
}

/// A warp per row of the query.
template <class T>
__device__ void attend_backward_rows(const AttentionArguments& g) {
  for (int64_t i = warp_number(); i < g.stacks * g.heads * g.rows; i += warp_count()) {
    const int64_t row = i % g.rows;
    const Head head{i / g.rows / g.heads, i / g.rows % g.heads};
    const Row query =
        load(static_cast<const T*>(g.query) + head.of(g.query_strides, row), g.features);
    const Row slope = load(static_cast<const T*>(g.slope) + i * g.features, g.features);
    const float mean =
        dot(slope, load(static_cast<const T*>(g.result) + i * g.features, g.features));
    const int64_t seen = g.causal && row < g.keys ? row + 1 : g.keys;
    Row total;
    for (int64_t j = 0; j < seen; ++j) {
      const Row key = load(static_cast<const T*>(g.key) + head.of(g.key_strides, j), g.features);
      const Row value =
          load(static_cast<const T*>(g.value) + head.of(g.value_strides, j), g.features);
      const Slopes s =
          slopes_of(g, addend(g, head, row, j), g.logarithms[i], query, key, value, slope, mean);
      add(total, 1, s.by_score, key);
    }
    store(static_cast<T*>(g.by_query) + i * g.features, g.features, total);
  }
}

/// A warp per row of key and value.
template <class T>
__device__ void attend_backward_keys(const AttentionArguments& g) {
  for (int64_t i = warp_number(); i < g.stacks * g.heads * g.keys; i += warp_count()) {
    const int64_t j = i % g.keys, matrix = i / g.keys;
    const Head head{matrix / g.heads, matrix % g.heads};
    const Row key = load(static_cast<const T*>(g.key) + head.of(g.key_strides, j), g.features);
    const Row value =
        load(static_cast<const T*>(g.value) + head.of(g.value_strides, j), g.features);
    Row by_key, by_value;
    for (int64_t row = g.causal ? j : 0; row < g.rows; ++row) {
      const int64_t at = matrix * g.rows + row;
      const Row query =
          load(static_cast<const T*>(g.query) + head.of(g.query_strides, row), g.features);
      const Row slope = load(static_cast<const T*>(g.slope) + at * g.features, g.features);
      const Row result = load(static_cast<const T*>(g.result) + at * g.features, g.features);
      const Slopes s = slopes_of(g, addend(g, head, row, j), g.logarithms[at], query, key, value,
                                 slope, dot(slope, result));
      add(by_key, 1, s.by_score, query);
      add(by_value, 1, s.weight, slope);
    }
    store(static_cast<T*>(g.by_key) + i * g.features, g.features, by_key);
    store(static_cast<T*>(g.by_value) + i * g.features, g.features, by_value);
  }
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

#define TIDE_ATTENTION(name, T)                                                              \
  extern "C" __global__ void __launch_bounds__(256) attention_##name(AttentionArguments g) { \
    attend<T>(g);                                                                            \
  }                                                                                          \
  extern "C" __global__ void __launch_bounds__(256)                                          \
      attention_backward_rows_##name(AttentionArguments g) {                                 \
    attend_backward_rows<T>(g);                                                              \
  }                                                                                          \
  extern "C" __global__ void __launch_bounds__(256)                                          \
      attention_backward_keys_##name(AttentionArguments g) {                                 \
    attend_backward_keys<T>(g);                                                              \
  }
TIDE_ATTENTION(f16, __half)
TIDE_ATTENTION(bf16, __nv_bfloat16)
