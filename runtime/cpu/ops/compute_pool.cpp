// Maximum and average pooling of planes.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "runtime/cpu/instruction_set.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/planes/plain_planes.h"
#include "runtime/cpu/planes/pooling_channels_last.h"
#include "runtime/cpu/planes/pooling_windows.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/workspace.h"

namespace tide {
namespace {

/// Computes outputs [begin, end) of one row of a plane: tap by tap, so that the loops along the row
/// are vectorized. `indices` receives the positions, from 0; -1 for none.
template <class T>
void max_outputs(const Pool& pool, const T* plane, int64_t row, int64_t begin, int64_t end,
                 T* values, int32_t* indices) {
  std::fill(indices + begin, indices + end, -1);
  std::fill(values + begin, values + end, T());
  for (int64_t tap_h = 0; tap_h < pool.h.kernel; ++tap_h) {
    const int64_t y = pool.h.index(row, tap_h);
    if (y < 0 || y >= pool.h.input) continue;
    for (int64_t tap_w = 0; tap_w < pool.w.kernel; ++tap_w) {
      const int64_t stride = pool.w.stride;
      const int64_t start = y * pool.w.input + pool.w.index(0, tap_w);
      const auto [first_output, last_output] = pool.columns[static_cast<size_t>(tap_w)];
      const int64_t last = std::min(end, last_output);
      for (int64_t i = std::max(begin, first_output); i < last; ++i) {
        const T value = plane[start + i * stride];
        const Wide<T> a = value, b = values[i];
        // The first of equal values wins, and nan is above all others.
        const bool better = (indices[i] < 0) | (a > b) | is_nan(a);
        values[i] = better ? value : values[i];
        indices[i] = better ? static_cast<int32_t>(start + i * stride) : indices[i];
      }
    }
  }
}

/// Adjacent windows of a row, all inside the input, up to kMostPicked elements apart. For larger
/// strides, windows are picked from those that start at every element.
struct InnerWindows {
  const float* input;  ///< the element under the first tap of the first window
  int32_t index;       ///< of that element in its plane
  int64_t count;       ///< at least one vector
  int64_t rows, columns, row_step, column_step, stride;

  static constexpr int64_t kMostPicked = 3;
  /// The largest stride for which computing all windows in between pays off.
  static constexpr int64_t kMostApart = 8;

  /// Windows whose columns are all inside the input.
  InnerWindows(const Pool& pool, const float* plane, int64_t row, int64_t begin, int64_t end)
      : count(end - begin),
        columns(pool.w.kernel),
        row_step(pool.h.dilation * pool.w.input),
        column_step(pool.w.dilation),
        stride(pool.w.stride) {
    if (stride > kMostPicked) count = (count - 1) * stride + 1, stride = 1;
    int64_t tap = 0;
    while (pool.h.index(row, tap) < 0) ++tap;
    rows = 0;
    while (tap + rows < pool.h.kernel && pool.h.index(row, tap + rows) < pool.h.input) ++rows;
    index = static_cast<int32_t>(pool.h.index(row, tap) * pool.w.input + pool.w.index(begin, 0));
    input = plane + index;
  }
};

/// Vectors of four and of eight lanes.
struct Vectors4 {
  typedef float Floats __attribute__((vector_size(16)));
  typedef int32_t Integers __attribute__((vector_size(16)));
};
struct Vectors8 {
  typedef float Floats __attribute__((vector_size(32)));
  typedef int32_t Integers __attribute__((vector_size(32)));
};

/// The lanes of vectors of windows that start `step` elements apart. They are put in order only at
/// the end.
template <class V, int step>
struct Lanes {
  using Floats = typename V::Floats;
  using Integers = typename V::Integers;
  static constexpr int count = sizeof(Floats) / sizeof(float);

  Integers steps{};  ///< by lane, the first element of its window
  Integers order{};  ///< by window, its lane

  __attribute__((always_inline)) Lanes() {
    for (int window = 0; window < count; ++window) {
      const int lane = lane_of(window);
      order[window] = lane;
      steps[lane] = step * window;
    }
  }

  /// Two apart: each part of four lanes has two windows from each of two vectors. Three apart: an
  /// element stays in the lane that it was loaded into, because 3 and the number of lanes have no
  /// common factor.
  static constexpr int lane_of(int window) {
    if (step != 2) return step * window % count;
    const bool upper = window >= count / 2;
    const int within = window % (count / 2);
    return within / 2 * 4 + within % 2 + (upper ? 2 : 0);
  }

  /// a: the elements of all windows that are under one tap; `from` points to that of the first
  /// window. Reads up to `step` - 1 elements past the last.
  __attribute__((always_inline)) static void load(const float* from, Floats& a) {
    std::memcpy(&a, from, sizeof a);
    if constexpr (step == 1) return;
    Floats b, c;
    Integers taken;
    if constexpr (step == 2) {
      // The second vector begins with the last element of the first.
      for (int lane = 0; lane < count; ++lane)
        taken[lane] = lane / 4 * 4 + (lane % 4 < 2 ? 2 * (lane % 4) : count + 2 * (lane % 4) - 3);
      std::memcpy(&b, from + count - 1, sizeof b);
      a = __builtin_shuffle(a, b, taken);
      return;
    }
    std::memcpy(&b, from + count, sizeof b);
    std::memcpy(&c, from + 2 * count, sizeof c);
    Integers last;
    for (int window = 0; window < count; ++window) {
      const int lane = lane_of(window), source = step * window / count;
      taken[lane] = lane + (source == 1 ? count : 0);
      last[lane] = lane + (source == 2 ? count : 0);
    }
    a = __builtin_shuffle(__builtin_shuffle(a, b, taken), c, last);
  }
};

/// max_outputs for a vector of windows at a time; without indices unless `with_indices`.
template <class V, int step, bool with_indices>
__attribute__((always_inline)) inline void max_windows(const InnerWindows& windows, float* values,
                                                       int32_t* indices) {
  using Floats = typename V::Floats;
  using Integers = typename V::Integers;
  constexpr int lanes = Lanes<V, step>::count;
  const Lanes<V, step> layout;
  for (int64_t next = 0; next < windows.count; next += lanes) {
    // The last vector may overlap the one before.
    const int64_t i = std::min(next, windows.count - lanes);
    Floats value{};
    Integers index{};
    for (int64_t row = 0; row < windows.rows; ++row)
      for (int64_t column = 0; column < windows.columns; ++column) {
        const int64_t offset = i * step + row * windows.row_step + column * windows.column_step;
        Floats a;
        Lanes<V, step>::load(windows.input + offset, a);
        Integers better = (a > value) | (a != a);
        if (row == 0 && column == 0) better |= -1;
        value = better ? a : value;
        if constexpr (with_indices)
          index = better ? layout.steps + (windows.index + static_cast<int32_t>(offset)) : index;
      }
    if constexpr (step > 1) {
      value = __builtin_shuffle(value, layout.order);
      if constexpr (with_indices) index = __builtin_shuffle(index, layout.order);
    }
    std::memcpy(values + i, &value, sizeof value);
    if constexpr (with_indices) std::memcpy(indices + i, &index, sizeof index);
  }
}

template <class V, bool with_indices>
__attribute__((always_inline)) inline void max_windows_by_step(const InnerWindows& windows,
                                                               float* values, int32_t* indices) {
  switch (windows.stride) {
    case 1:
      return max_windows<V, 1, with_indices>(windows, values, indices);
    case 2:
      return max_windows<V, 2, with_indices>(windows, values, indices);
    case 3:
      return max_windows<V, 3, with_indices>(windows, values, indices);
  }
}

template <bool with_indices>
void max_windows_4(const InnerWindows& windows, float* values, int32_t* indices) {
  max_windows_by_step<Vectors4, with_indices>(windows, values, indices);
}

template <bool with_indices>
__attribute__((target("avx2"))) void max_windows_8(const InnerWindows& windows, float* values,
                                                   int32_t* indices) {
  max_windows_by_step<Vectors8, with_indices>(windows, values, indices);
}

/// Copies every `stride`-th element.
template <class T>
void pick_apart(const T* from, int64_t stride, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
}

/// Computes windows of a row whose columns are all inside the input.
template <bool with_indices>
void max_inner_windows(const InnerWindows& windows, int64_t stride, int64_t count, float* values,
                       int32_t* indices) {
  static const bool wide = instruction_set() != InstructionSet::baseline;
  const auto run =
      wide && windows.count >= 8 ? max_windows_8<with_indices> : max_windows_4<with_indices>;
  if (stride <= InnerWindows::kMostPicked) return run(windows, values, indices);
  static thread_local Workspace value_workspace, index_workspace;
  auto* all_values = value_workspace.get<float>(windows.count);
  auto* all_indices = index_workspace.get<int32_t>(with_indices ? windows.count : 1);
  run(windows, all_values, all_indices);
  pick_apart(all_values, stride, count, values);
  if (with_indices) pick_apart(all_indices, stride, count, indices);
}

/// Computes row `row` of the output of one plane. Unless `with_indices`, `indices` may be wrong.
template <class T>
void max_row(const Pool& pool, const T* plane, int64_t row, bool with_indices, T* values,
             int32_t* indices) {
  int64_t begin = 0, end = 0;  // windows for which there is a faster function
  if constexpr (std::is_same_v<T, float>) {
    const int64_t first = pool.columns.front().first;
    // With stride 3 the last window is left out, because its vector reads two elements further.
    const int64_t last = pool.columns.back().second - (pool.w.stride == 3);
    if (pool.w.stride <= InnerWindows::kMostApart && last - first >= 4) {
      const InnerWindows windows(pool, plane, row, first, last);
      if (windows.rows > 0) {
        const auto run = with_indices ? max_inner_windows<true> : max_inner_windows<false>;
        run(windows, pool.w.stride, last - first, values + first, indices + first);
        begin = first, end = last;
      }
    }
  }
  max_outputs(pool, plane, row, 0, begin, values, indices);
  max_outputs(pool, plane, row, end, pool.w.output, values, indices);
}

template <class T>
void max_pool(ComputeCall& call) {
  const Pool pool(call, call.inputs[0].layout.shape, call.outputs[0].layout.shape, true);
  const auto* input = static_cast<const T*>(call.inputs[0].data);
  auto* values = static_cast<T*>(call.outputs[0].data);
  const bool with_indices = call.outputs.size() > 1;
  auto* positions = with_indices ? static_cast<int64_t*>(call.outputs[1].data) : nullptr;
  pool.for_planes(*call.parallel, [&](int64_t plane) {
    static thread_local Workspace workspace;
    int32_t* indices = workspace.get<int32_t>(pool.w.output);
    for (int64_t row = 0; row < pool.h.output; ++row) {
      const int64_t offset = plane * pool.output_size() + row * pool.w.output;
      max_row(pool, input + plane * pool.input_size(), row, with_indices, values + offset, indices);
      if (!with_indices) continue;
      for (int64_t i = 0; i < pool.w.output; ++i) positions[offset + i] = indices[i] + 1;
    }
  });
}

template <class T>
void max_pool_backward(ComputeCall& call) {
  const Shape &output = call.inputs[0].layout.shape, &input = call.outputs[0].layout.shape;
  const int64_t input_size = input[2] * input[3], output_size = output[2] * output[3];
  const auto* dy = static_cast<const T*>(call.inputs[0].data);
  const auto* positions = static_cast<const int64_t*>(call.inputs[1].data);
  auto* dx = static_cast<T*>(call.outputs[0].data);
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, input_size));
  call.parallel->for_range(input[0] * input[1], grain, [&](int64_t begin, int64_t end) {
    static thread_local Workspace workspace;
    for (int64_t plane = begin; plane < end; ++plane) {
      T* to = dx + plane * input_size;
      Wide<T>* sums;
      if constexpr (std::is_same_v<T, Wide<T>>)
        sums = to;
      else
        sums = workspace.get<Wide<T>>(input_size);
      std::fill_n(sums, input_size, Wide<T>(0));
      for (int64_t i = plane * output_size; i < (plane + 1) * output_size; ++i)
        if (positions[i] >= 1 && positions[i] <= input_size)
          sums[positions[i] - 1] += static_cast<Wide<T>>(dy[i]);
      if constexpr (!std::is_same_v<T, Wide<T>>)
        for (int64_t i = 0; i < input_size; ++i) to[i] = static_cast<T>(sums[i]);
    }
  });
}

template <class T>
void average_pool(ComputeCall& call) {
  const Pool pool(call, call.inputs[0].layout.shape, call.outputs[0].layout.shape, false);
  pool.for_planes(*call.parallel, [&](int64_t plane) {
    const T* x = static_cast<const T*>(call.inputs[0].data) + plane * pool.input_size();
    T* y = static_cast<T*>(call.outputs[0].data) + plane * pool.output_size();
    for (int64_t row = 0; row < pool.h.output; ++row)
      for (int64_t column = 0; column < pool.w.output; ++column) {
        const AverageWindow window(pool, call, row, column);
        Wide<T> sum = 0;
        for (int64_t i = window.top; i < window.bottom; ++i)
          for (int64_t j = window.left; j < window.right; ++j)
            sum += static_cast<Wide<T>>(x[i * pool.w.input + j]);
        if (!window.empty()) sum /= static_cast<Wide<T>>(window.divisor);
        y[row * pool.w.output + column] = static_cast<T>(sum);
      }
  });
}

template <class T>
void average_pool_backward(ComputeCall& call) {
  const Pool pool(call, call.outputs[0].layout.shape, call.inputs[0].layout.shape, false);
  pool.for_planes(*call.parallel, [&](int64_t plane) {
    static thread_local Workspace workspace;
    Wide<T>* sums = workspace.get<Wide<T>>(pool.input_size());
    std::fill_n(sums, pool.input_size(), Wide<T>(0));
    const T* dy = static_cast<const T*>(call.inputs[0].data) + plane * pool.output_size();
    for (int64_t row = 0; row < pool.h.output; ++row)
      for (int64_t column = 0; column < pool.w.output; ++column) {
        const AverageWindow window(pool, call, row, column);
        if (window.empty()) continue;
        const Wide<T> contribution = static_cast<Wide<T>>(dy[row * pool.w.output + column]) /
                                     static_cast<Wide<T>>(window.divisor);
        for (int64_t i = window.top; i < window.bottom; ++i)
          for (int64_t j = window.left; j < window.right; ++j)
            sums[i * pool.w.input + j] += contribution;
      }
    T* dx = static_cast<T*>(call.outputs[0].data) + plane * pool.input_size();
    for (int64_t i = 0; i < pool.input_size(); ++i) dx[i] = static_cast<T>(sums[i]);
  });
}

}  // namespace

void compute_max_pool2d(ComputeCall& call) {
  if (is_channels_last(call)) return channels_last::max_pool2d(call);
  visit_type(call.inputs[0].type, [&](auto tag) { max_pool<typename decltype(tag)::Type>(call); });
}

void compute_max_pool2d_backward(ComputeCall& call) {
  if (is_channels_last(call)) return channels_last::max_pool2d_backward(call);
  visit_floating(call.inputs[0].type,
                 [&](auto tag) { max_pool_backward<typename decltype(tag)::Type>(call); });
}

void compute_avg_pool2d(ComputeCall& call) {
  if (is_channels_last(call)) return channels_last::avg_pool2d(call);
  visit_floating(call.inputs[0].type,
                 [&](auto tag) { average_pool<typename decltype(tag)::Type>(call); });
}

void compute_avg_pool2d_backward(ComputeCall& call) {
  if (is_channels_last(call)) return channels_last::avg_pool2d_backward(call);
  visit_floating(call.inputs[0].type,
                 [&](auto tag) { average_pool_backward<typename decltype(tag)::Type>(call); });
}

}  // namespace tide
