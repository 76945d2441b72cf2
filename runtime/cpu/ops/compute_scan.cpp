// Cumulative sums, products, minima and maxima along one dimension.
#include <algorithm>
#include <array>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/workspace.h"

namespace tide {
namespace {

/// Fibers computed side by side, so that loops over them are vectorized.
constexpr int64_t kFibers = 64;
/// Blocks of one fiber computed side by side: each is a chain of additions.
constexpr int64_t kChains = 4;

/// A dense array viewed as (outer, length, inner), scanned along the middle.
struct ScanShape {
  int64_t outer = 1, length, inner = 1;

  ScanShape(const Shape& shape, int dim) : length(shape[dim]) {
    for (int d = 0; d < dim; ++d) outer *= shape[d];
    for (int d = dim + 1; d < shape.rank(); ++d) inner *= shape[d];
  }
};

/// Calls body(offset, width) for groups of up to kFibers neighbouring fibers: element i of fiber l
/// is at offset + i * inner + l. A single fiber has a constant width, so that its accumulators stay
/// in registers.
template <class Body>
void for_fibers(ComputeCall& call, const ScanShape& scan, const Body& body) {
  const int64_t groups = (scan.inner + kFibers - 1) / kFibers;
  const int64_t work = scan.length * std::min(scan.inner, kFibers);
  if (work == 0) return;
  call.parallel->for_range(
      scan.outer * groups, std::max<int64_t>(1, 16384 / work), [&](int64_t begin, int64_t end) {
        for (int64_t item = begin; item < end; ++item) {
          const int64_t fiber = item % groups * kFibers;
          const int64_t offset = item / groups * scan.length * scan.inner + fiber;
          const int64_t width = std::min(kFibers, scan.inner - fiber);
          if (width == 1)
            body(offset, std::integral_constant<int64_t, 1>());
          else
            body(offset, width);
        }
      });
}

/// Floating-point fibers are accumulated in double and rounded once per result; integers wrap
/// around.
template <class Out>
using Sum = std::conditional_t<is_floating_type<Out>, double, uint64_t>;

template <class Out>
Out rounded(Sum<Out> sum) {
  return static_cast<Out>(static_cast<Wide<Out>>(sum));
}

/// The running sums of up to kChains blocks: calls visit(chain, i, sum) for each of `count`
/// elements. Returns the sums of the blocks.
template <class S, class In, class Visit>
std::array<S, kChains> run_chains(const In* x, int64_t count, const Visit& visit) {
  std::array<S, kChains> sums{};
  const auto step = [&](int64_t chain, int64_t i) {
    visit(chain, i, sums[chain] += static_cast<S>(x[i]));
  };
  if (count == kChains * kScanBlock)
    for (int64_t i = 0; i < kScanBlock; ++i)
      for (int64_t chain = 0; chain < kChains; ++chain) step(chain, chain * kScanBlock + i);
  else
    for (int64_t i = 0; i < count; ++i) step(i / kScanBlock, i);
  return sums;
}

/// Computes the running sums of one long contiguous fiber.
template <class In, class Out>
void sum_long_fiber(Parallel& parallel, const In* x, Out* y, int64_t length) {
  using S = Sum<Out>;
  constexpr int64_t group = kChains * kScanBlock;
  const int64_t groups = (length + group - 1) / group;
  static thread_local Workspace workspace;
  S* before =
      workspace.get<S>(groups * kChains);  // the sum before each block; at first its own sum
  const auto for_groups = [&](const auto& body) {
    parallel.for_range(groups, 4, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        body(i * group, std::min(group, length - i * group), before + i * kChains);
    });
  };
  for_groups([&](int64_t first, int64_t count, S* sums) {
    const auto block_sums = run_chains<S>(x + first, count, [](int64_t, int64_t, S) {});
    std::copy(block_sums.begin(), block_sums.end(), sums);
  });
  S all = 0;
  for (int64_t block = 0; block < groups * kChains; ++block) {
    const S block_sum = before[block];
    before[block] = all;
    all += block_sum;
  }
  for_groups([&](int64_t first, int64_t count, const S* sums) {
    run_chains<S>(x + first, count, [&](int64_t chain, int64_t i, S sum) {
      y[first + i] = rounded<Out>(sums[chain] + sum);
    });
  });
}

template <class In, class Out>
void running_sums(ComputeCall& call) {
  using S = Sum<Out>;
  const ScanShape scan(call.inputs[0].layout.shape, unpack<DimAttributes>(call.attributes).dim);
  const auto* all = static_cast<const In*>(call.inputs[0].data);
  auto* results = static_cast<Out*>(call.outputs[0].data);
  if (scan.inner == 1 && scan.length > kChains * kScanBlock) {
    for (int64_t fiber = 0; fiber < scan.outer; ++fiber)
      sum_long_fiber(*call.parallel, all + fiber * scan.length, results + fiber * scan.length,
                     scan.length);
    return;
  }
  for_fibers(call, scan, [&](int64_t offset, auto width) {
    const In* x = all + offset;
    Out* y = results + offset;
    S before[kFibers], sums[kFibers];
    for (int64_t fiber = 0; fiber < width; ++fiber) before[fiber] = 0;
    for (int64_t first = 0; first < scan.length; first += kScanBlock) {
      for (int64_t fiber = 0; fiber < width; ++fiber) sums[fiber] = 0;
      const int64_t end = std::min(scan.length, first + kScanBlock);
      for (int64_t i = first; i < end; ++i, x += scan.inner, y += scan.inner)
        for (int64_t fiber = 0; fiber < width; ++fiber) {
          sums[fiber] += static_cast<S>(x[fiber]);
          y[fiber] = rounded<Out>(before[fiber] + sums[fiber]);
        }
      for (int64_t fiber = 0; fiber < width; ++fiber) before[fiber] += sums[fiber];
    }
  });
}

template <class In, class Out>
void running_products(ComputeCall& call) {
  using S = Sum<Out>;
  const ScanShape scan(call.inputs[0].layout.shape, unpack<DimAttributes>(call.attributes).dim);
  for_fibers(call, scan, [&](int64_t offset, auto width) {
    const In* x = static_cast<const In*>(call.inputs[0].data) + offset;
    Out* y = static_cast<Out*>(call.outputs[0].data) + offset;
    S products[kFibers];
    for (int64_t fiber = 0; fiber < width; ++fiber) products[fiber] = 1;
    for (int64_t i = 0; i < scan.length; ++i, x += scan.inner, y += scan.inner)
      for (int64_t fiber = 0; fiber < width; ++fiber) {
        products[fiber] *= static_cast<S>(x[fiber]);
        y[fiber] = rounded<Out>(products[fiber]);
      }
  });
}

/// The gradient of running products, with the same operations and roundings as the composition in
/// runtime/ops/reduce/scan.cpp: the sum of the terms from each element to the first zero, divided
/// by the element; at the first zero, the sum of the terms from it to the second zero, without its
/// factor.
template <class T>
void product_gradients(ComputeCall& call) {
  using W = Wide<T>;
  const ScanShape scan(call.inputs[0].layout.shape, unpack<DimAttributes>(call.attributes).dim);
  for_fibers(call, scan, [&](int64_t offset, auto width) {
    static thread_local Workspace term_memory, first_memory;
    const T* x = static_cast<const T*>(call.inputs[0].data) + offset;
    const T* dy = static_cast<const T*>(call.inputs[1].data) + offset;
    T* dx = static_cast<T*>(call.outputs[0].data) + offset;
    // The term of each element, and the number of zeros up to it: 0, 1, or 2 for more.
    T* const terms = term_memory.get<T>(scan.length * width);
    uint8_t* const zeros = first_memory.get<uint8_t>(scan.length * width);
    double products[kFibers];
    uint8_t found[kFibers];
    for (int64_t fiber = 0; fiber < width; ++fiber) products[fiber] = 1, found[fiber] = 0;
    for (int64_t i = 0; i < scan.length; ++i)
      for (int64_t fiber = 0; fiber < width; ++fiber) {
        const auto value = static_cast<W>(x[i * scan.inner + fiber]);
        const bool zero = value == 0;
        found[fiber] = static_cast<uint8_t>(std::min(found[fiber] + zero, 2));
        products[fiber] *= zero ? 1.0 : static_cast<double>(value);
        const auto product = static_cast<W>(rounded<T>(products[fiber]));
        terms[i * width + fiber] =
            static_cast<T>(product * static_cast<W>(dy[i * scan.inner + fiber]));
        zeros[i * width + fiber] = found[fiber];
      }
    // The sums of the terms before any zero and of those after exactly one, from the end.
    double before[2][kFibers], sums[2][kFibers];
    for (int64_t fiber = 0; fiber < width; ++fiber) before[0][fiber] = before[1][fiber] = 0;
    for (int64_t last = scan.length; last > 0; last -= kScanBlock) {
      const int64_t first = std::max<int64_t>(0, last - kScanBlock);
      for (int64_t fiber = 0; fiber < width; ++fiber) sums[0][fiber] = sums[1][fiber] = 0;
      for (int64_t i = last - 1; i >= first; --i)
        for (int64_t fiber = 0; fiber < width; ++fiber) {
          const uint8_t count = zeros[i * width + fiber];
          const auto term = static_cast<double>(static_cast<W>(terms[i * width + fiber]));
          sums[0][fiber] += count == 0 ? term : 0.0;
          sums[1][fiber] += count == 1 ? term : 0.0;
          const auto value = static_cast<W>(x[i * scan.inner + fiber]);
          const auto none = static_cast<W>(rounded<T>(before[0][fiber] + sums[0][fiber]));
          const T one = rounded<T>(before[1][fiber] + sums[1][fiber]);
          const bool first_zero = value == 0 && count == 1;
          dx[i * scan.inner + fiber] =
              first_zero ? one : static_cast<T>(none / (value == 0 ? W(1) : value));
        }
      for (int64_t fiber = 0; fiber < width; ++fiber) {
        before[0][fiber] += sums[0][fiber];
        before[1][fiber] += sums[1][fiber];
      }
    }
  });
}

/// Calls body(tag of the input's type, tag of the output's type): integers and bool may be
/// accumulated in i64.
template <class Body>
void visit_scan_types(ComputeCall& call, const Body& body) {
  const bool widened = call.outputs[0].type != call.inputs[0].type;
  visit_type(call.inputs[0].type, [&](auto tag) {
    if constexpr (!is_floating_type<typename decltype(tag)::Type>)
      if (widened) return body(tag, TypeTag<int64_t>());
    body(tag, tag);
  });
}

/// The last of equal values wins, and nan is above (or below) all others, like PyTorch's cummax and
/// cummin.
template <class T>
void minmax(ComputeCall& call, bool largest) {
  const ScanShape scan(call.inputs[0].layout.shape, unpack<DimAttributes>(call.attributes).dim);
  for_fibers(call, scan, [&](int64_t offset, int64_t width) {
    const T* x = static_cast<const T*>(call.inputs[0].data) + offset;
    T* values = static_cast<T*>(call.outputs[0].data) + offset;
    int64_t* positions = static_cast<int64_t*>(call.outputs[1].data) + offset;
    for (int64_t fiber = 0; fiber < width; ++fiber) {
      T best = x[fiber];
      int64_t position = 1;
      for (int64_t i = 0; i < scan.length; ++i) {
        const T value = x[i * scan.inner + fiber];
        const Wide<T> a = value, b = best;
        if (is_nan(a) || (!is_nan(b) && (largest ? a >= b : a <= b))) {
          best = value;
          position = i + 1;
        }
        values[i * scan.inner + fiber] = best;
        positions[i * scan.inner + fiber] = position;
      }
    }
  });
}

}  // namespace

void compute_cumsum(ComputeCall& call) {
  visit_scan_types(call, [&](auto in, auto out) {
    running_sums<typename decltype(in)::Type, typename decltype(out)::Type>(call);
  });
}

void compute_cumprod(ComputeCall& call) {
  visit_scan_types(call, [&](auto in, auto out) {
    running_products<typename decltype(in)::Type, typename decltype(out)::Type>(call);
  });
}

void compute_cumprod_backward(ComputeCall& call) {
  visit_type(call.inputs[0].type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (is_floating_type<T>) product_gradients<T>(call);
  });
}

void compute_cumulative_minmax(ComputeCall& call) {
  visit_type(call.inputs[0].type, [&](auto tag) {
    minmax<typename decltype(tag)::Type>(call, unpack<MinmaxAttributes>(call.attributes).largest);
  });
}

}  // namespace tide
