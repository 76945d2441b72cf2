// Calls compute ops on plain vectors.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/team.h"
#include "runtime/ir/math/half.h"

namespace tide::test {

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  if constexpr (std::is_same_v<T, double>) return DType::f64;
  if constexpr (std::is_same_v<T, Float16>) return DType::f16;
  if constexpr (std::is_same_v<T, BFloat16>) return DType::bf16;
  if constexpr (std::is_same_v<T, int64_t>) return DType::i64;
  if constexpr (std::is_same_v<T, int32_t>) return DType::i32;
  if constexpr (std::is_same_v<T, int16_t>) return DType::i16;
  if constexpr (std::is_same_v<T, int8_t>) return DType::i8;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::u8;
  return DType::boolean;
}

/// A dense array that owns its elements.
template <class T>
struct Array {
  Shape shape;
  std::vector<T> values;

  explicit Array(const Shape& shape) : shape(shape), values(shape.numel()) {}
  Array(const Shape& shape, std::vector<T> values) : shape(shape), values(std::move(values)) {}

  ArrayView view() { return {values.data(), dtype_of<T>(), Layout(shape)}; }
  /// The same elements with the last two dimensions exchanged.
  ArrayView transposed_view() {
    ArrayView view = this->view();
    const int last = shape.rank() - 1;
    std::swap(view.layout.shape[last], view.layout.shape[last - 1]);
    std::swap(view.layout.strides[last], view.layout.strides[last - 1]);
    return view;
  }
};

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Planes (n, c, h, w) as the array (n, h, w, c), or with `back` the other way round.
template <class T>
Array<T> turned(const Array<T>& planes, bool back = false) {
  const Shape& s = planes.shape;
  const int64_t channels = back ? s[3] : s[1], points = s.numel() / s[0] / channels;
  Array<T> result(back ? Shape{s[0], s[3], s[1], s[2]} : Shape{s[0], s[2], s[3], s[1]});
  for (int64_t n = 0; n < s[0]; ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < points; ++i) {
        const int64_t plain = (n * channels + c) * points + i,
                      last = (n * points + i) * channels + c;
        result.values[back ? plain : last] = planes.values[back ? last : plain];
      }
  return result;
}

/// Uniform in [-1, 1], or small integers.
template <class T>
Array<T> random_array(const Shape& shape, uint32_t seed) {
  Array<T> result(shape);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> floating(-1, 1);
  std::uniform_int_distribution<int> integer(-50, 50);
  for (T& value : result.values) {
    if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(integer(generator));
    else
      value = static_cast<T>(static_cast<float>(floating(generator)));
  }
  return result;
}

/// Runs `op` with the given number of threads; returns the call, which says what was out of range.
inline ComputeCall run(ComputeOp op, std::vector<ArrayView> inputs, std::vector<ArrayView> outputs,
                       std::vector<int64_t> attributes, int threads = 2) {
  Team team(threads);
  ComputeCall call{op, inputs, outputs, attributes, &team};
  compute_function(op)(call);
  return call;
}

}  // namespace tide::test
