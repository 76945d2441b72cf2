// Maximum and average pooling of planes.
#include <algorithm>
#include <limits>

#include "runtime/cpu/native.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/visit_type.h"

namespace tide {
namespace {

/// One dimension of a pooling window.
struct Window {
  int64_t input, output, kernel, stride, pad, dilation;

  /// Outputs [begin, end) for which tap `tap` of the window lies inside the input.
  int64_t first_output(int64_t tap) const {
    const int64_t missing = pad - tap * dilation;
    return missing <= 0 ? 0 : std::min(output, (missing + stride - 1) / stride);
  }
  int64_t last_output(int64_t tap) const {
    const int64_t room = input - 1 + pad - tap * dilation;
    return room < 0 ? 0 : std::min(output, room / stride + 1);
  }
  /// Input that tap `tap` of output `i` meets, perhaps outside.
  int64_t place(int64_t i, int64_t tap) const { return i * stride - pad + tap * dilation; }
};

/// The geometry of a pooling call; planes (n * c of them) are independent.
struct Pool {
  Window h, w;
  int64_t planes;

  Pool(const NativeCall& call, const Shape& input, const Shape& output, bool dilated)
      : planes(input[0] * input[1]) {
    const auto& a = call.attributes;
    h = {input[2], output[2], a[0], a[2], a[4], dilated ? a[6] : 1};
    w = {input[3], output[3], a[1], a[3], a[5], dilated ? a[7] : 1};
  }

  int64_t input_size() const { return h.input * w.input; }
  int64_t output_size() const { return h.output * w.output; }

  /// Calls body(plane) for all planes, in parallel.
  template <class Body>
  void for_planes(Parallel& parallel, const Body& body) const {
    const int64_t work = std::max<int64_t>(1, input_size() + output_size() * h.kernel * w.kernel);
    parallel.for_range(planes, std::max<int64_t>(1, 16384 / work), [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) body(plane);
    });
  }
};

/// Row `row` of the output of one plane: tap by tap, so that the loops along the row vectorise.
/// `places` is scratch for the positions, from 0, of the best so far; -1 for none.
template <class T>
void max_row(const Pool& pool, const T* plane, int64_t row, T* values, int32_t* places) {
  const int64_t count = pool.w.output;
  std::fill_n(places, count, -1);
  std::fill_n(values, count, T());
  for (int64_t tap_h = 0; tap_h < pool.h.kernel; ++tap_h) {
    const int64_t y = pool.h.place(row, tap_h);
    if (y < 0 || y >= pool.h.input) continue;
    for (int64_t tap_w = 0; tap_w < pool.w.kernel; ++tap_w) {
      const int64_t stride = pool.w.stride;
      const int64_t start = y * pool.w.input + pool.w.place(0, tap_w);
      const int64_t last = pool.w.last_output(tap_w);
      for (int64_t i = pool.w.first_output(tap_w); i < last; ++i) {
        const T value = plane[start + i * stride];
        const Wide<T> a = value, b = values[i];
        // The first of equal values counts, and a nan is above all.
        const bool better = (places[i] < 0) | (a > b) | is_nan(a);
        values[i] = better ? value : values[i];
        places[i] = better ? static_cast<int32_t>(start + i * stride) : places[i];
      }
    }
  }
}

template <class T>
void max_pool(NativeCall& call) {
  const Pool pool(call, call.inputs[0].layout.shape, call.outputs[0].layout.shape, true);
  const auto* input = static_cast<const T*>(call.inputs[0].data);
  auto* values = static_cast<T*>(call.outputs[0].data);
  auto* positions = static_cast<int64_t*>(call.outputs[1].data);
  pool.for_planes(*call.parallel, [&](int64_t plane) {
    static thread_local Scratch scratch;
    int32_t* places = scratch.get<int32_t>(pool.w.output);
    for (int64_t row = 0; row < pool.h.output; ++row) {
      const int64_t offset = plane * pool.output_size() + row * pool.w.output;
      max_row(pool, input + plane * pool.input_size(), row, values + offset, places);
      for (int64_t i = 0; i < pool.w.output; ++i) positions[offset + i] = places[i] + 1;
    }
  });
}

template <class T>
void max_pool_backward(NativeCall& call) {
  const Shape &output = call.inputs[0].layout.shape, &input = call.outputs[0].layout.shape;
  const int64_t input_size = input[2] * input[3], output_size = output[2] * output[3];
  const auto* dy = static_cast<const T*>(call.inputs[0].data);
  const auto* positions = static_cast<const int64_t*>(call.inputs[1].data);
  auto* dx = static_cast<T*>(call.outputs[0].data);
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, input_size));
  call.parallel->for_range(input[0] * input[1], grain, [&](int64_t begin, int64_t end) {
    static thread_local Scratch scratch;
    Wide<T>* sums = scratch.get<Wide<T>>(input_size);
    for (int64_t plane = begin; plane < end; ++plane) {
      std::fill_n(sums, input_size, Wide<T>(0));
      for (int64_t i = plane * output_size; i < (plane + 1) * output_size; ++i)
        if (positions[i] >= 1 && positions[i] <= input_size)
          sums[positions[i] - 1] += static_cast<Wide<T>>(dy[i]);
      for (int64_t i = 0; i < input_size; ++i) dx[plane * input_size + i] = static_cast<T>(sums[i]);
    }
  });
}

/// The window of one output, cut to the input, and what its sum is divided by.
struct AverageWindow {
  int64_t top, bottom, left, right;
  double divisor;

  AverageWindow(const Pool& pool, const NativeCall& call, int64_t row, int64_t column) {
    top = pool.h.place(row, 0);
    left = pool.w.place(column, 0);
    bottom = std::min(top + pool.h.kernel, pool.h.input + pool.h.pad);
    right = std::min(left + pool.w.kernel, pool.w.input + pool.w.pad);
    const int64_t padded = (bottom - top) * (right - left);
    top = std::max<int64_t>(top, 0);
    left = std::max<int64_t>(left, 0);
    bottom = std::min(bottom, pool.h.input);
    right = std::min(right, pool.w.input);
    const int64_t inside = (bottom - top) * (right - left);
    const bool count_pad = call.attributes[6] != 0;
    const int64_t fixed = call.attributes[7];
    divisor = static_cast<double>(fixed ? fixed : count_pad ? padded : inside);
  }

  bool empty() const { return top >= bottom || left >= right; }
};

template <class T>
void average_pool(NativeCall& call) {
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
void average_pool_backward(NativeCall& call) {
  const Pool pool(call, call.outputs[0].layout.shape, call.inputs[0].layout.shape, false);
  pool.for_planes(*call.parallel, [&](int64_t plane) {
    static thread_local Scratch scratch;
    Wide<T>* sums = scratch.get<Wide<T>>(pool.input_size());
    std::fill_n(sums, pool.input_size(), Wide<T>(0));
    const T* dy = static_cast<const T*>(call.inputs[0].data) + plane * pool.output_size();
    for (int64_t row = 0; row < pool.h.output; ++row)
      for (int64_t column = 0; column < pool.w.output; ++column) {
        const AverageWindow window(pool, call, row, column);
        if (window.empty()) continue;
        const Wide<T> share = static_cast<Wide<T>>(dy[row * pool.w.output + column]) /
                              static_cast<Wide<T>>(window.divisor);
        for (int64_t i = window.top; i < window.bottom; ++i)
          for (int64_t j = window.left; j < window.right; ++j) sums[i * pool.w.input + j] += share;
      }
    T* dx = static_cast<T*>(call.outputs[0].data) + plane * pool.input_size();
    for (int64_t i = 0; i < pool.input_size(); ++i) dx[i] = static_cast<T>(sums[i]);
  });
}

/// Calls visitor for floating types; the others cannot be averaged or differentiated.
template <class Visitor>
void visit_floating(DType type, Visitor&& visitor) {
  visit_type(type, [&](auto tag) {
    if constexpr (is_floating_type<typename decltype(tag)::Type>) visitor(tag);
  });
}

}  // namespace

void native_max_pool2d(NativeCall& call) {
  visit_type(call.inputs[0].type, [&](auto tag) { max_pool<typename decltype(tag)::Type>(call); });
}

void native_max_pool2d_backward(NativeCall& call) {
  visit_floating(call.inputs[0].type,
                 [&](auto tag) { max_pool_backward<typename decltype(tag)::Type>(call); });
}

void native_avg_pool2d(NativeCall& call) {
  visit_floating(call.inputs[0].type,
                 [&](auto tag) { average_pool<typename decltype(tag)::Type>(call); });
}

void native_avg_pool2d_backward(NativeCall& call) {
  visit_floating(call.inputs[0].type,
                 [&](auto tag) { average_pool_backward<typename decltype(tag)::Type>(call); });
}

}  // namespace tide
