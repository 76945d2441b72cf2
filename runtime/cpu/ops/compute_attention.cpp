// Attention by plain loops, one row of scores at a time: the fallback for a CUDA device without
// kernels. Other devices compose it of products (ops/nn/attention.cpp).
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/visit_type.h"

namespace tide {
namespace {

/// The sizes of all arrays, and the options.
struct Sizes {
  int64_t stacks, heads, rows, keys, features;
  float scale;
  bool causal;

  explicit Sizes(const ComputeCall& call)
      : stacks(call.inputs[0].layout.shape[0]),
        heads(call.inputs[0].layout.shape[1]),
        rows(call.inputs[0].layout.shape[2]),
        keys(call.inputs[1].layout.shape[2]),
        features(call.inputs[0].layout.shape[3]),
        scale(unpack<AttentionAttributes>(call.attributes).scale),
        causal(unpack<AttentionAttributes>(call.attributes).causal) {}
  /// Number of keys that a row attends to.
  int64_t seen(int64_t row) const { return causal ? std::min(keys, row + 1) : keys; }
};

/// What is added to the scores of one head.
class Addends {
 public:
  /// `input` is the index of the mask among the inputs.
  Addends(const ComputeCall& call, size_t input, int64_t stack, int64_t head) {
    if (call.inputs.size() <= input) return;
    const ArrayView& mask = call.inputs[input];
    strides_ = mask.layout.strides;
    data_ = static_cast<const float*>(mask.data) + stack * strides_[0] + head * strides_[1];
  }
  float operator()(int64_t row, int64_t key) const {
    return data_ ? data_[row * strides_[2] + key * strides_[3]] : 0;
  }

 private:
  const float* data_ = nullptr;
  std::array<int64_t, kMaxDims> strides_;
};

/// One head's matrix in float.
template <class T>
std::vector<float> matrix(const ArrayView& x, int64_t stack, int64_t head) {
  const Shape& shape = x.layout.shape;
  const auto& strides = x.layout.strides;
  const T* from = static_cast<const T*>(x.data) + stack * strides[0] + head * strides[1];
  std::vector<float> result(static_cast<size_t>(shape[2] * shape[3]));
  for (int64_t i = 0, k = 0; i < shape[2]; ++i)
    for (int64_t j = 0; j < shape[3]; ++j, ++k)
      result[static_cast<size_t>(k)] = from[i * strides[2] + j * strides[3]];
  return result;
}

/// Rounds a head's matrix to T and stores it.
template <class T>
void store(const ArrayView& x, int64_t stack, int64_t head, const std::vector<float>& values) {
  const auto& strides = x.layout.strides;
  T* to = static_cast<T*>(x.data) + stack * strides[0] + head * strides[1];
  for (size_t i = 0; i < values.size(); ++i) to[i] = static_cast<T>(values[i]);
}

float dot(const float* a, const float* b, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

void add(float* to, float factor, const float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] += factor * x[i];
}

template <class T>
void attend(const ComputeCall& call, const Sizes& n, int64_t stack, int64_t head) {
  const auto query = matrix<T>(call.inputs[0], stack, head);
  const auto key = matrix<T>(call.inputs[1], stack, head);
  const auto value = matrix<T>(call.inputs[2], stack, head);
  const Addends addend(call, 3, stack, head);
  std::vector<float> result(query.size()), scores(static_cast<size_t>(n.keys));
  auto* logarithms = static_cast<float*>(call.outputs[1].data) + (stack * n.heads + head) * n.rows;
  for (int64_t i = 0; i < n.rows; ++i) {
    float* row = result.data() + i * n.features;
    float most = -std::numeric_limits<float>::infinity(), sum = 0;
    for (int64_t j = 0; j < n.seen(i); ++j) {
      const float score = n.scale * dot(&query[static_cast<size_t>(i * n.features)],
                                        &key[static_cast<size_t>(j * n.features)], n.features) +
                          addend(i, j);
      scores[static_cast<size_t>(j)] = score;
      most = std::fmax(most, score);
    }
    for (int64_t j = 0; j < n.seen(i); ++j) {
      const float weight = std::exp(scores[static_cast<size_t>(j)] - most);
      sum += weight;
      add(row, weight, &value[static_cast<size_t>(j * n.features)], n.features);
    }
    for (int64_t d = 0; d < n.features; ++d) row[d] /= sum;
    logarithms[i] = most + std::log(sum);
  }
  store<T>(call.outputs[0], stack, head, result);
}

template <class T>
void attend_backward(const ComputeCall& call, const Sizes& n, int64_t stack, int64_t head) {
  const auto query = matrix<T>(call.inputs[0], stack, head);
  const auto key = matrix<T>(call.inputs[1], stack, head);
  const auto value = matrix<T>(call.inputs[2], stack, head);
  const auto result = matrix<T>(call.inputs[3], stack, head);
  const auto slope = matrix<T>(call.inputs[4], stack, head);
  const Addends addend(call, 6, stack, head);
  const auto* logarithms =
      static_cast<const float*>(call.inputs[5].data) + (stack * n.heads + head) * n.rows;
  std::vector<float> by_query(query.size()), by_key(key.size()), by_value(value.size());
  for (int64_t i = 0; i < n.rows; ++i) {
    const auto row = static_cast<size_t>(i * n.features);
    const float mean = dot(&slope[row], &result[row], n.features);
    for (int64_t j = 0; j < n.seen(i); ++j) {
      const auto at = static_cast<size_t>(j * n.features);
      const float weight =
          std::exp(n.scale * dot(&query[row], &key[at], n.features) + addend(i, j) - logarithms[i]);
      const float by_score = n.scale * weight * (dot(&slope[row], &value[at], n.features) - mean);
      add(&by_query[row], by_score, &key[at], n.features);
      add(&by_key[at], by_score, &query[row], n.features);
      add(&by_value[at], weight, &slope[row], n.features);
    }
  }
  store<T>(call.outputs[0], stack, head, by_query);
  store<T>(call.outputs[1], stack, head, by_key);
  store<T>(call.outputs[2], stack, head, by_value);
}

/// Calls visit(tag, stack, head) for all heads.
template <class Visit>
void for_heads(ComputeCall& call, const Sizes& n, const Visit& visit) {
  visit_type(call.inputs[0].type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (!std::is_same_v<T, Wide<T>>)
      call.parallel->for_range(n.stacks * n.heads, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) visit(tag, i / n.heads, i % n.heads);
      });
  });
}

}  // namespace

void compute_attention(ComputeCall& call) {
  const Sizes n(call);
  for_heads(call, n, [&](auto tag, int64_t stack, int64_t head) {
    attend<typename decltype(tag)::Type>(call, n, stack, head);
  });
}

void compute_attention_backward(ComputeCall& call) {
  const Sizes n(call);
  for_heads(call, n, [&](auto tag, int64_t stack, int64_t head) {
    attend_backward<typename decltype(tag)::Type>(call, n, stack, head);
  });
}

}  // namespace tide
