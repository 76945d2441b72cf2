// Direct 2-D convolutions and their gradients: an element of the result per thread (for weights,
// per block). Sums are in float (double for f64), in a fixed order, and rounded once. The zeros of
// the padding are multiplied, too: a non-finite weight turns them into nan.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {
namespace {

/// The layout of an array of planes.
struct PlaneLayout {
  int64_t outer, inner, row, column;
  __device__ PlaneLayout(const ConvolutionArguments& g, int64_t channels, int64_t rows,
                    int64_t columns) {
    outer = channels * rows * columns;
    inner = g.channels_last ? 1 : rows * columns;
    column = g.channels_last ? channels : 1;
    row = columns * column;
  }
  __device__ int64_t at(int64_t i, int64_t channel, int64_t y, int64_t x) const {
    return i * outer + channel * inner + y * row + x * column;
  }
};

template <class T>
__device__ void forward(const ConvolutionArguments& g) {
  const int64_t channels = g.c / g.groups, size = g.oh * g.ow;
  const PlaneLayout input(g, g.c, g.h, g.w), weights(g, channels, g.kh, g.kw),
      output(g, g.o, g.oh, g.ow);
  for (int64_t i = thread_number(); i < g.n * g.o * size; i += thread_count()) {
    const int64_t image = i / size / g.o, o = i / size % g.o, row = i % size / g.ow,
                  column = i % g.ow;
    const int64_t first = o / (g.o / g.groups) * channels;
    Wide<T> sum = 0;
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t p = 0; p < g.kh; ++p)
        for (int64_t q = 0; q < g.kw; ++q) {
          const int64_t y = row * g.stride_h - g.pad_h + p * g.dilation_h;
          const int64_t z = column * g.stride_w - g.pad_w + q * g.dilation_w;
          const bool inside = y >= 0 && y < g.h && z >= 0 && z < g.w;
          const Wide<T> element =
              inside ? widen(static_cast<const T*>(g.x)[input.at(image, first + c, y, z)])
                     : Wide<T>(0);
          sum += element * widen(static_cast<const T*>(g.weight)[weights.at(o, c, p, q)]);
        }
    T value = narrow<T>(sum);
    if (g.bias) value = narrow<T>(widen(value) + widen(static_cast<const T*>(g.bias)[o]));
    static_cast<T*>(g.y)[output.at(image, o, row, column)] = value;
  }
}

/// The output that uses input `input` with tap `tap` along one dimension, or -1.
__device__ int64_t joined(int64_t input, int64_t tap, int64_t output, int64_t stride, int64_t pad,
                          int64_t dilation) {
  const int64_t from = input + pad - tap * dilation;
  if (from < 0 || from % stride) return -1;
  return from / stride < output ? from / stride : -1;
}

template <class T>
__device__ void backward_input(const ConvolutionArguments& g) {
  const int64_t channels = g.c / g.groups, outputs = g.o / g.groups, size = g.h * g.w;
  const PlaneLayout input(g, g.c, g.h, g.w), weights(g, channels, g.kh, g.kw),
      output(g, g.o, g.oh, g.ow);
  for (int64_t i = thread_number(); i < g.n * g.c * size; i += thread_count()) {
    const int64_t image = i / size / g.c, c = i / size % g.c, y = i % size / g.w, x = i % g.w;
    const int64_t group = c / channels;
    Wide<T> sum = 0;
    for (int64_t o = group * outputs; o < (group + 1) * outputs; ++o)
      for (int64_t p = 0; p < g.kh; ++p) {
        const int64_t row = joined(y, p, g.oh, g.stride_h, g.pad_h, g.dilation_h);
        if (row < 0) continue;
        for (int64_t q = 0; q < g.kw; ++q) {
          const int64_t column = joined(x, q, g.ow, g.stride_w, g.pad_w, g.dilation_w);
          if (column < 0) continue;
          sum += widen(static_cast<const T*>(g.x)[output.at(image, o, row, column)]) *
                 widen(static_cast<const T*>(g.weight)[weights.at(o, c % channels, p, q)]);
        }
      }
    static_cast<T*>(g.y)[input.at(image, c, y, x)] = narrow<T>(sum);
  }
}

/// A block per weight: its threads divide the outputs, and their sums are reduced in a fixed tree.
template <class T>
__device__ void backward_weight(const ConvolutionArguments& g) {
  __shared__ Wide<T> sums[kWeightThreads];
  const int64_t channels = g.c / g.groups, size = g.oh * g.ow;
  const PlaneLayout input(g, g.c, g.h, g.w), weights(g, channels, g.kh, g.kw),
      output(g, g.o, g.oh, g.ow);
  for (int64_t i = blockIdx.x; i < g.o * channels * g.kh * g.kw; i += gridDim.x) {
    const int64_t q = i % g.kw, p = i / g.kw % g.kh, c = i / (g.kw * g.kh) % channels,
                  o = i / (g.kw * g.kh * channels);
    const int64_t channel = o / (g.o / g.groups) * channels + c;
    Wide<T> sum = 0;
    for (int64_t k = threadIdx.x; k < g.n * size; k += kWeightThreads) {
      const int64_t image = k / size, row = k % size / g.ow, column = k % g.ow;
      const int64_t y = row * g.stride_h - g.pad_h + p * g.dilation_h;
      const int64_t x = column * g.stride_w - g.pad_w + q * g.dilation_w;
      const bool inside = y >= 0 && y < g.h && x >= 0 && x < g.w;
      const Wide<T> element =
          inside ? widen(static_cast<const T*>(g.weight)[input.at(image, channel, y, x)])
                 : Wide<T>(0);
      sum += widen(static_cast<const T*>(g.x)[output.at(image, o, row, column)]) * element;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = kWeightThreads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
      __syncthreads();
    }
    if (threadIdx.x == 0) static_cast<T*>(g.y)[weights.at(o, c, p, q)] = narrow<T>(sums[0]);
    __syncthreads();
  }
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

#define TIDE_CONVOLUTION(name, T)                                                              \
  extern "C" __global__ void __launch_bounds__(256, 2) conv2d_##name(ConvolutionArguments g) { \
    forward<T>(g);                                                                             \
  }                                                                                            \
  extern "C" __global__ void __launch_bounds__(256, 2)                                         \
      conv2d_backward_input_##name(ConvolutionArguments g) {                                   \
    backward_input<T>(g);                                                                      \
  }                                                                                            \
  extern "C" __global__ void __launch_bounds__(128)                                            \
      conv2d_backward_weight_##name(ConvolutionArguments g) {                                  \
    backward_weight<T>(g);                                                                     \
  }
TIDE_FLOATING_TYPES(TIDE_CONVOLUTION)
