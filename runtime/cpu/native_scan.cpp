// Running sums, products and extremes along one dimension.
#include <algorithm>

#include "runtime/cpu/native.h"
#include "runtime/cpu/visit_type.h"

namespace tide {
namespace {

/// Lanes computed side by side, so that loops over them vectorise.
constexpr int64_t kLanes = 64;

/// A dense array seen as (outer, length, inner), scanned along the middle.
struct ScanShape {
  int64_t outer = 1, length, inner = 1;

  ScanShape(const Shape& shape, int dim) : length(shape[dim]) {
    for (int d = 0; d < dim; ++d) outer *= shape[d];
    for (int d = dim + 1; d < shape.rank(); ++d) inner *= shape[d];
  }
};

/// Calls body(offset, width) for groups of up to kLanes neighbouring lanes: element i of lane l is
/// at offset + i * inner + l.
template <class Body>
void for_lanes(NativeCall& call, const ScanShape& scan, const Body& body) {
  const int64_t groups = (scan.inner + kLanes - 1) / kLanes;
  const int64_t work = scan.length * std::min(scan.inner, kLanes);
  if (work == 0) return;
  call.parallel->for_range(scan.outer * groups, std::max<int64_t>(1, 16384 / work),
                           [&](int64_t begin, int64_t end) {
                             for (int64_t item = begin; item < end; ++item) {
                               const int64_t lane = item % groups * kLanes;
                               body(item / groups * scan.length * scan.inner + lane,
                                    std::min(kLanes, scan.inner - lane));
                             }
                           });
}

/// Floating lanes are accumulated in double and rounded once per result; integers wrap around.
template <class In, class Out, class Combine>
void accumulate(NativeCall& call, int first, Combine combine) {
  using Sum = std::conditional_t<is_floating_type<Out>, double, uint64_t>;
  const ScanShape scan(call.inputs[0].layout.shape, static_cast<int>(call.attributes[0]));
  for_lanes(call, scan, [&](int64_t offset, int64_t width) {
    const In* x = static_cast<const In*>(call.inputs[0].data) + offset;
    Out* y = static_cast<Out*>(call.outputs[0].data) + offset;
    if (width == 1) {  // a lane by itself, whose sum stays in a register
      Sum sum = static_cast<Sum>(first);
      for (int64_t i = 0; i < scan.length; ++i) {
        sum = combine(sum, static_cast<Sum>(x[i * scan.inner]));
        y[i * scan.inner] = static_cast<Out>(static_cast<Wide<Out>>(sum));
      }
      return;
    }
    Sum sums[kLanes];
    std::fill_n(sums, width, static_cast<Sum>(first));
    for (int64_t i = 0; i < scan.length; ++i, x += scan.inner, y += scan.inner)
      for (int64_t lane = 0; lane < width; ++lane) {
        sums[lane] = combine(sums[lane], static_cast<Sum>(x[lane]));
        y[lane] = static_cast<Out>(static_cast<Wide<Out>>(sums[lane]));
      }
  });
}

/// Integers and bool may be accumulated into i64.
template <class Combine>
void accumulate_any(NativeCall& call, int first, Combine combine) {
  const bool widened = call.outputs[0].type != call.inputs[0].type;
  visit_type(call.inputs[0].type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (!is_floating_type<T>)
      if (widened) return accumulate<T, int64_t>(call, first, combine);
    accumulate<T, T>(call, first, combine);
  });
}

/// Of equal values the last counts, and a nan is above (or below) all: PyTorch's cummax and cummin.
template <class T>
void extremes(NativeCall& call, bool largest) {
  const ScanShape scan(call.inputs[0].layout.shape, static_cast<int>(call.attributes[0]));
  for_lanes(call, scan, [&](int64_t offset, int64_t width) {
    const T* x = static_cast<const T*>(call.inputs[0].data) + offset;
    T* values = static_cast<T*>(call.outputs[0].data) + offset;
    int64_t* positions = static_cast<int64_t*>(call.outputs[1].data) + offset;
    for (int64_t lane = 0; lane < width; ++lane) {
      T best = x[lane];
      int64_t position = 1;
      for (int64_t i = 0; i < scan.length; ++i) {
        const T value = x[i * scan.inner + lane];
        const Wide<T> a = value, b = best;
        if (is_nan(a) || (!is_nan(b) && (largest ? a >= b : a <= b))) {
          best = value;
          position = i + 1;
        }
        values[i * scan.inner + lane] = best;
        positions[i * scan.inner + lane] = position;
      }
    }
  });
}

}  // namespace

void native_cumsum(NativeCall& call) {
  accumulate_any(call, 0, [](auto sum, auto x) { return sum + x; });
}

void native_cumprod(NativeCall& call) {
  accumulate_any(call, 1, [](auto product, auto x) { return product * x; });
}

void native_cumulative_extreme(NativeCall& call) {
  visit_type(call.inputs[0].type, [&](auto tag) {
    extremes<typename decltype(tag)::Type>(call, call.attributes[1] != 0);
  });
}

}  // namespace tide
