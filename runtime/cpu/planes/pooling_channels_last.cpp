// Pools channels-last planes: all channels of a pixel at a time.
#include "runtime/cpu/planes/pooling_channels_last.h"

#include <algorithm>

#include "runtime/cpu/planes/pooling_windows.h"
#include "runtime/cpu/wide_vectors.h"
#include "runtime/cpu/workspace.h"

namespace tide::channels_last {
namespace {

/// Channels worth a part of their own where pixels are not independent.
constexpr int64_t kPartChannels = 64;

Shape planes_of(const ArrayView& array) { return as_planes(array.layout).shape; }

/// Calls body(image, row) for all rows of the output, in parallel.
template <class Body>
void for_rows(const Pool& pool, Parallel& parallel, const Body& body) {
  const int64_t work =
      std::max<int64_t>(1, pool.w.output * pool.channels * pool.h.kernel * pool.w.kernel);
  const int64_t rows = pool.h.output;
  parallel.for_range(pool.images * rows, std::max<int64_t>(1, 16384 / work),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) body(i / rows, i % rows);
                     });
}

/// Calls body(image, first channel, last channel) for all channels, in parallel.
template <class Body>
void for_channels(const Pool& pool, Parallel& parallel, const Body& body) {
  const int64_t parts = (pool.channels + kPartChannels - 1) / kPartChannels;
  const int64_t work = std::max<int64_t>(1, pool.input_size() * kPartChannels);
  parallel.for_range(pool.images * parts, std::max<int64_t>(1, 16384 / work),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i) {
                         const int64_t first = i % parts * kPartChannels;
                         body(i / parts, first, std::min(pool.channels, first + kPartChannels));
                       }
                     });
}

/// Takes those of the values at `from` that are larger than the maxima so far, or nan. The first of
/// equal values wins. `index` is the position of this pixel, from 0.
template <class T>
void take_larger(const T* __restrict from, int64_t channels, int32_t index, T* __restrict values,
                 int32_t* __restrict indices) {
  for (int64_t c = 0; c < channels; ++c) {
    const Wide<T> a = from[c], b = values[c];
    const bool better = (a > b) | is_nan(a);
    values[c] = better ? from[c] : values[c];
    indices[c] = better ? index : indices[c];
  }
}

template <class T>
void max_pool(ComputeCall& call) {
  const Pool pool(call, planes_of(call.inputs[0]), planes_of(call.outputs[0]), true);
  const auto* input = static_cast<const T*>(call.inputs[0].data);
  auto* values = static_cast<T*>(call.outputs[0].data);
  auto* positions = call.outputs.size() > 1 ? static_cast<int64_t*>(call.outputs[1].data) : nullptr;
  const int64_t channels = pool.channels;
  static const auto take = fastest<take_larger<T>>();
  for_rows(pool, *call.parallel, [&](int64_t image, int64_t row) {
    static thread_local Workspace workspace;
    int32_t* indices = workspace.get<int32_t>(static_cast<size_t>(channels));
    const T* pixels = input + image * pool.input_size() * channels;
    for (int64_t column = 0; column < pool.w.output; ++column) {
      const int64_t pixel = (image * pool.h.output + row) * pool.w.output + column;
      T* out = values + pixel * channels;
      bool first = true;
      for (int64_t tap_h = 0; tap_h < pool.h.kernel; ++tap_h) {
        const int64_t y = pool.h.index(row, tap_h);
        if (y < 0 || y >= pool.h.input) continue;
        for (int64_t tap_w = 0; tap_w < pool.w.kernel; ++tap_w) {
          const int64_t x = pool.w.index(column, tap_w);
          if (x < 0 || x >= pool.w.input) continue;
          const auto index = static_cast<int32_t>(y * pool.w.input + x);
          const T* from = pixels + index * channels;
          if (first) {
            std::copy_n(from, channels, out);
            std::fill_n(indices, channels, index);
          } else {
            take(from, channels, index, out, indices);
          }
          first = false;
        }
      }
      if (first) std::fill_n(out, channels, T()), std::fill_n(indices, channels, -1);
      for (int64_t c = 0; positions && c < channels; ++c)
        positions[pixel * channels + c] = indices[c] + 1;
    }
  });
}

template <class T>
void max_pool_backward(ComputeCall& call) {
  const Pool pool(call, planes_of(call.outputs[0]), planes_of(call.inputs[0]), true);
  const auto* dy = static_cast<const T*>(call.inputs[0].data);
  const auto* positions = static_cast<const int64_t*>(call.inputs[1].data);
  auto* dx = static_cast<T*>(call.outputs[0].data);
  const int64_t input_size = pool.input_size(), channels = pool.channels;
  for_channels(pool, *call.parallel, [&](int64_t image, int64_t first, int64_t last) {
    static thread_local Workspace workspace;
    const int64_t width = last - first;
    auto* sums = workspace.get<Wide<T>>(static_cast<size_t>(input_size * width));
    std::fill_n(sums, input_size * width, Wide<T>(0));
    for (int64_t i = 0; i < pool.output_size(); ++i) {
      const int64_t from = (image * pool.output_size() + i) * channels;
      for (int64_t c = first; c < last; ++c) {
        const int64_t position = positions[from + c];
        if (position >= 1 && position <= input_size)
          sums[(position - 1) * width + c - first] += static_cast<Wide<T>>(dy[from + c]);
      }
    }
    for (int64_t i = 0; i < input_size; ++i)
      for (int64_t c = first; c < last; ++c)
        dx[(image * input_size + i) * channels + c] = static_cast<T>(sums[i * width + c - first]);
  });
}

template <class T>
void add_to(const T* __restrict from, int64_t channels, Wide<T>* __restrict sums) {
  for (int64_t c = 0; c < channels; ++c) sums[c] += static_cast<Wide<T>>(from[c]);
}

template <class T>
void average_pool(ComputeCall& call) {
  const Pool pool(call, planes_of(call.inputs[0]), planes_of(call.outputs[0]), false);
  const int64_t channels = pool.channels;
  static const auto add = fastest<add_to<T>>();
  for_rows(pool, *call.parallel, [&](int64_t image, int64_t row) {
    static thread_local Workspace workspace;
    auto* sums = workspace.get<Wide<T>>(static_cast<size_t>(channels));
    const T* x = static_cast<const T*>(call.inputs[0].data) + image * pool.input_size() * channels;
    for (int64_t column = 0; column < pool.w.output; ++column) {
      const int64_t pixel = (image * pool.h.output + row) * pool.w.output + column;
      T* y = static_cast<T*>(call.outputs[0].data) + pixel * channels;
      const AverageWindow window(pool, call, row, column);
      std::fill_n(sums, channels, Wide<T>(0));
      for (int64_t i = window.top; i < window.bottom; ++i)
        for (int64_t j = window.left; j < window.right; ++j)
          add(x + (i * pool.w.input + j) * channels, channels, sums);
      const auto divisor = static_cast<Wide<T>>(window.empty() ? 1 : window.divisor);
      for (int64_t c = 0; c < channels; ++c) y[c] = static_cast<T>(sums[c] / divisor);
    }
  });
}

template <class T>
void average_pool_backward(ComputeCall& call) {
  const Pool pool(call, planes_of(call.outputs[0]), planes_of(call.inputs[0]), false);
  const int64_t input_size = pool.input_size(), channels = pool.channels;
  for_channels(pool, *call.parallel, [&](int64_t image, int64_t first, int64_t last) {
    static thread_local Workspace workspace;
    const int64_t width = last - first;
    auto* sums = workspace.get<Wide<T>>(static_cast<size_t>((input_size + 1) * width));
    Wide<T>* contribution = sums + input_size * width;
    std::fill_n(sums, input_size * width, Wide<T>(0));
    for (int64_t row = 0; row < pool.h.output; ++row)
      for (int64_t column = 0; column < pool.w.output; ++column) {
        const AverageWindow window(pool, call, row, column);
        if (window.empty()) continue;
        const int64_t pixel = (image * pool.h.output + row) * pool.w.output + column;
        const T* dy = static_cast<const T*>(call.inputs[0].data) + pixel * channels + first;
        for (int64_t c = 0; c < width; ++c)
          contribution[c] = static_cast<Wide<T>>(dy[c]) / static_cast<Wide<T>>(window.divisor);
        for (int64_t i = window.top; i < window.bottom; ++i)
          for (int64_t j = window.left; j < window.right; ++j) {
            Wide<T>* to = sums + (i * pool.w.input + j) * width;
            for (int64_t c = 0; c < width; ++c) to[c] += contribution[c];
          }
      }
    T* dx = static_cast<T*>(call.outputs[0].data) + image * input_size * channels;
    for (int64_t i = 0; i < input_size; ++i)
      for (int64_t c = 0; c < width; ++c)
        dx[i * channels + first + c] = static_cast<T>(sums[i * width + c]);
  });
}

}  // namespace

void max_pool2d(ComputeCall& call) {
  visit_type(call.inputs[0].type, [&](auto tag) { max_pool<typename decltype(tag)::Type>(call); });
}

void max_pool2d_backward(ComputeCall& call) {
  visit_floating(call.inputs[0].type,
                 [&](auto tag) { max_pool_backward<typename decltype(tag)::Type>(call); });
}

void avg_pool2d(ComputeCall& call) {
  visit_floating(call.inputs[0].type,
                 [&](auto tag) { average_pool<typename decltype(tag)::Type>(call); });
}

void avg_pool2d_backward(ComputeCall& call) {
  visit_floating(call.inputs[0].type,
                 [&](auto tag) { average_pool_backward<typename decltype(tag)::Type>(call); });
}

}  // namespace tide::channels_last
