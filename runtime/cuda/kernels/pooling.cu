// 2-D maximum and average pooling, an element of the result per thread. Gradients are gathered:
// each input sums the gradients of its windows, in the order of the outputs.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {
namespace {

/// Element `i` of an array of planes of `size` elements: its plane, and its index in the plane.
struct Element {
  int64_t pixel, outer, inner;
  __device__ Element(const PoolArguments& g, int64_t i, int64_t size)
      : pixel(i / g.inner % size), outer(i / g.inner / size), inner(i % g.inner) {}
  /// The first element of the same plane in an array with planes of `size` elements, which are
  /// g.inner apart.
  __device__ int64_t plane(const PoolArguments& g, int64_t size) const {
    return outer * size * g.inner + inner;
  }
};

template <class T>
__device__ void max_pool(const PoolArguments& g) {
  const int64_t size = g.output_h * g.output_w;
  for (int64_t i = thread_number(); i < g.outer * g.inner * size; i += thread_count()) {
    const Element at(g, i, size);
    const T* plane = static_cast<const T*>(g.x) + at.plane(g, g.input_h * g.input_w);
    const int64_t row = at.pixel / g.output_w, column = at.pixel % g.output_w;
    T best = narrow<T>(Wide<T>(0));
    int64_t chosen = -1;
    for (int64_t tap_h = 0; tap_h < g.kernel_h; ++tap_h)
      for (int64_t tap_w = 0; tap_w < g.kernel_w; ++tap_w) {
        const int64_t y = row * g.stride_h - g.pad_h + tap_h * g.dilation_h;
        const int64_t x = column * g.stride_w - g.pad_w + tap_w * g.dilation_w;
        if (y < 0 || y >= g.input_h || x < 0 || x >= g.input_w) continue;
        const T value = plane[(y * g.input_w + x) * g.inner];
        const Wide<T> a = widen(value);
        // The first of equal values wins, and nan is above all.
        if (chosen >= 0 && !(a > widen(best)) && !is_nan(a)) continue;
        best = value;
        chosen = y * g.input_w + x;
      }
    static_cast<T*>(g.y)[i] = best;
    if (g.positions) g.positions[i] = chosen + 1;
  }
}

/// The outputs first..last (exclusive) whose windows may contain input `input` along one dimension;
/// `span` is the extent of a window.
struct Windows {
  int64_t first, last;
  __device__ Windows(int64_t input, int64_t output, int64_t span, int64_t stride, int64_t pad) {
    const int64_t from = input + pad - span + 1;
    first = from <= 0 ? 0 : (from + stride - 1) / stride;
    last = (input + pad) / stride + 1;
    if (last > output) last = output;
  }
};

template <class T>
__device__ void max_pool_backward(const PoolArguments& g) {
  const int64_t input = g.input_h * g.input_w, output = g.output_h * g.output_w;
  for (int64_t i = thread_number(); i < g.outer * g.inner * input; i += thread_count()) {
    const Element at(g, i, input);
    const int64_t plane = at.plane(g, output);
    const Windows rows(at.pixel / g.input_w, g.output_h, g.dilation_h * (g.kernel_h - 1) + 1,
                       g.stride_h, g.pad_h);
    const Windows columns(at.pixel % g.input_w, g.output_w, g.dilation_w * (g.kernel_w - 1) + 1,
                          g.stride_w, g.pad_w);
    Wide<T> sum = 0;
    for (int64_t row = rows.first; row < rows.last; ++row)
      for (int64_t column = columns.first; column < columns.last; ++column) {
        const int64_t o = plane + (row * g.output_w + column) * g.inner;
        if (g.chosen[o] == at.pixel + 1) sum += widen(static_cast<const T*>(g.x)[o]);
      }
    static_cast<T*>(g.y)[i] = narrow<T>(sum);
  }
}

/// The window of one output, clipped to the input, and the divisor of its sum.
struct AverageWindow {
  int64_t top, bottom, left, right;
  double divisor;

  __device__ AverageWindow(const PoolArguments& g, int64_t row, int64_t column) {
    top = row * g.stride_h - g.pad_h;
    left = column * g.stride_w - g.pad_w;
    bottom = min(top + g.kernel_h, g.input_h + g.pad_h);
    right = min(left + g.kernel_w, g.input_w + g.pad_w);
    const int64_t padded = (bottom - top) * (right - left);
    top = max(top, int64_t{0});
    left = max(left, int64_t{0});
    bottom = min(bottom, g.input_h);
    right = min(right, g.input_w);
    const int64_t inside = (bottom - top) * (right - left);
    divisor = static_cast<double>(g.divisor ? g.divisor : g.count_pad ? padded : inside);
  }
  __device__ bool empty() const { return top >= bottom || left >= right; }
  __device__ bool holds(int64_t y, int64_t x) const {
    return y >= top && y < bottom && x >= left && x < right;
  }
};

template <class T>
__device__ void average_pool(const PoolArguments& g) {
  const int64_t size = g.output_h * g.output_w;
  for (int64_t i = thread_number(); i < g.outer * g.inner * size; i += thread_count()) {
    const Element at(g, i, size);
    const T* plane = static_cast<const T*>(g.x) + at.plane(g, g.input_h * g.input_w);
    const AverageWindow window(g, at.pixel / g.output_w, at.pixel % g.output_w);
    Wide<T> sum = 0;
    for (int64_t y = window.top; y < window.bottom; ++y)
      for (int64_t x = window.left; x < window.right; ++x)
        sum += widen(plane[(y * g.input_w + x) * g.inner]);
    if (!window.empty()) sum /= static_cast<Wide<T>>(window.divisor);
    static_cast<T*>(g.y)[i] = narrow<T>(sum);
  }
}

template <class T>
__device__ void average_pool_backward(const PoolArguments& g) {
  const int64_t input = g.input_h * g.input_w;
  for (int64_t i = thread_number(); i < g.outer * g.inner * input; i += thread_count()) {
    const Element at(g, i, input);
    const int64_t y = at.pixel / g.input_w, x = at.pixel % g.input_w;
    const T* dy = static_cast<const T*>(g.x) + at.plane(g, g.output_h * g.output_w);
    const Windows rows(y, g.output_h, g.kernel_h, g.stride_h, g.pad_h);
    const Windows columns(x, g.output_w, g.kernel_w, g.stride_w, g.pad_w);
    Wide<T> sum = 0;
    for (int64_t row = rows.first; row < rows.last; ++row)
      for (int64_t column = columns.first; column < columns.last; ++column) {
        const AverageWindow window(g, row, column);
        if (window.holds(y, x))
          sum += widen(dy[(row * g.output_w + column) * g.inner]) /
                 static_cast<Wide<T>>(window.divisor);
      }
    static_cast<T*>(g.y)[i] = narrow<T>(sum);
  }
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

#define TIDE_MAX_POOL(name, T)                                                              \
  extern "C" __global__ void __launch_bounds__(256, 2) max_pool2d_##name(PoolArguments g) { \
    max_pool<T>(g);                                                                         \
  }
#define TIDE_POOL(name, T)                                                                  \
  TIDE_MAX_POOL(name, T)                                                                    \
  extern "C" __global__ void __launch_bounds__(256, 2)                                      \
      max_pool2d_backward_##name(PoolArguments g) {                                         \
    max_pool_backward<T>(g);                                                                \
  }                                                                                         \
  extern "C" __global__ void __launch_bounds__(256, 2) avg_pool2d_##name(PoolArguments g) { \
    average_pool<T>(g);                                                                     \
  }                                                                                         \
  extern "C" __global__ void __launch_bounds__(256, 2)                                      \
      avg_pool2d_backward_##name(PoolArguments g) {                                         \
    average_pool_backward<T>(g);                                                            \
  }
TIDE_FLOATING_TYPES(TIDE_POOL)
TIDE_INTEGER_TYPES(TIDE_MAX_POOL)
TIDE_MAX_POOL(bool, uint8_t)
