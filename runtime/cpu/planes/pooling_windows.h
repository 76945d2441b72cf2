// The windows of pooling, shared by both layouts of planes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/cpu/visit_type.h"
#include "runtime/ir/compute_attributes.h"
#include "runtime/ir/compute_op.h"

namespace tide {

/// One dimension of a pooling window.
struct Window {
  int64_t input, output, kernel, stride, pad, dilation;

  /// Outputs [begin, end) for which tap `tap` of the window is inside the input.
  int64_t first_output(int64_t tap) const {
    const int64_t missing = pad - tap * dilation;
    return missing <= 0 ? 0 : std::min(output, (missing + stride - 1) / stride);
  }
  int64_t last_output(int64_t tap) const {
    const int64_t span = input - 1 + pad - tap * dilation;
    return span < 0 ? 0 : std::min(output, span / stride + 1);
  }
  /// The input index that tap `tap` of output `i` reads; it may be outside.
  int64_t index(int64_t i, int64_t tap) const { return i * stride - pad + tap * dilation; }
};

/// The geometry of a pooling call.
struct Pool {
  Window h, w;
  int64_t images, channels;
  std::vector<std::pair<int64_t, int64_t>> columns;  ///< per tap of w: first and last output

  /// `input` and `output`: the sizes of planes (n, c, h, w).
  Pool(const ComputeCall& call, const Shape& input, const Shape& output, bool dilated)
      : images(input[0]), channels(input[1]) {
    // The attributes of both kinds of pooling start with the same fields.
    const auto a = unpack<MaxPoolAttributes>(call.attributes);
    h = {input[2],    output[2],    a.kernel[0],
         a.stride[0], a.padding[0], dilated ? int64_t{a.dilation[0]} : 1};
    w = {input[3],    output[3],    a.kernel[1],
         a.stride[1], a.padding[1], dilated ? int64_t{a.dilation[1]} : 1};
    for (int64_t tap = 0; tap < w.kernel; ++tap)
      columns.emplace_back(w.first_output(tap), w.last_output(tap));
  }

  int64_t input_size() const { return h.input * w.input; }
  int64_t output_size() const { return h.output * w.output; }

  /// Calls body(plane) for all planes, which are independent, in parallel.
  template <class Body>
  void for_planes(Parallel& parallel, const Body& body) const {
    const int64_t work = std::max<int64_t>(1, input_size() + output_size() * h.kernel * w.kernel);
    parallel.for_range(images * channels, std::max<int64_t>(1, 16384 / work),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t plane = begin; plane < end; ++plane) body(plane);
                       });
  }
};

/// The window of one output, clipped to the input, and the divisor of its sum.
struct AverageWindow {
  int64_t top, bottom, left, right;
  double divisor;

  AverageWindow(const Pool& pool, const ComputeCall& call, int64_t row, int64_t column) {
    top = pool.h.index(row, 0);
    left = pool.w.index(column, 0);
    bottom = std::min(top + pool.h.kernel, pool.h.input + pool.h.pad);
    right = std::min(left + pool.w.kernel, pool.w.input + pool.w.pad);
    const int64_t padded = (bottom - top) * (right - left);
    top = std::max<int64_t>(top, 0);
    left = std::max<int64_t>(left, 0);
    bottom = std::min(bottom, pool.h.input);
    right = std::min(right, pool.w.input);
    const int64_t inside = (bottom - top) * (right - left);
    const auto attributes = unpack<AvgPoolAttributes>(call.attributes);
    const bool count_pad = attributes.count_include_pad;
    const int64_t fixed = attributes.divisor_override;
    divisor = static_cast<double>(fixed ? fixed : count_pad ? padded : inside);
  }

  bool empty() const { return top >= bottom || left >= right; }
};

/// Calls visitor for floating types; the others cannot be averaged or differentiated.
template <class Visitor>
void visit_floating(DType type, Visitor&& visitor) {
  visit_type(type, [&](auto tag) {
    if constexpr (is_floating_type<typename decltype(tag)::Type>) visitor(tag);
  });
}

}  // namespace tide
