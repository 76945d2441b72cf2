// Gather and scatter. Positions out of range are clamped for reads and ignored for writes; the one
// with the smallest index is reported.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {
namespace {

__device__ bool allows(const IndexArguments& g, int64_t position, int64_t linear) {
  if (position >= 1 && position <= g.limit) return true;
  atomicMin(g.first_wrong, static_cast<unsigned long long>(linear));
  return false;
}

template <class T>
__device__ void gather(const IndexArguments& g) {
  for (int64_t linear = thread_number(); linear < g.count; linear += thread_count()) {
    int64_t from = 0, at = 0, remaining = linear;
    for (int d = g.rank - 1; d >= 0; --d) {
      const int64_t i = remaining % g.shape[d];
      remaining /= g.shape[d];
      at += i * g.index_strides[d];
      if (d != g.dim) from += i * g.x_strides[d];
    }
    int64_t position = static_cast<const int64_t*>(g.index)[at];
    if (!allows(g, position, linear)) position = position < 1 ? 1 : g.limit;
    static_cast<T*>(g.out)[linear] =
        g.limit ? static_cast<const T*>(g.x)[from + (position - 1) * g.x_strides[g.dim]] : T(0);
  }
}

/// Writes 0; the positions are only checked.
__device__ void check(const IndexArguments& g) {
  for (int64_t linear = thread_number(); linear < g.count; linear += thread_count()) {
    int64_t at = 0, remaining = linear;
    for (int d = g.rank - 1; d >= 0; --d) {
      at += remaining % g.shape[d] * g.index_strides[d];
      remaining /= g.shape[d];
    }
    allows(g, static_cast<const int64_t*>(g.index)[at], linear);
  }
  if (thread_number() == 0) *static_cast<int64_t*>(g.out) = 0;
}

/// One thread reports to the host what earlier kernels have found.
__device__ void report(const IndexArguments& g) {
  unsigned long long linear = *g.first_wrong;
  if (linear == ~0ull) return;
  *g.first_wrong = ~0ull;
  int64_t at = 0;
  for (int d = g.rank - 1; d >= 0; --d) {
    const auto size = static_cast<unsigned long long>(g.shape[d]);
    at += static_cast<int64_t>(linear % size) * g.index_strides[d];
    linear /= size;
  }
  g.report->what = static_cast<const int64_t*>(g.index)[at];
  g.report->wrong = 1;
}

/// Offsets into the arrays of a scatter.
struct Offsets {
  int64_t linear = 0, index = 0, source = 0, out = 0;

  /// Adds the offsets of point number `point` of the dimensions first..last (exclusive).
  __device__ void enter(const ScatterArguments& s, int first, int last, int64_t point) {
    const IndexArguments& g = s.in_order;
#pragma unroll 1
    for (int d = last - 1; d >= first; --d) {
      const int64_t i = point % g.shape[d];
      point /= g.shape[d];
      linear += i * s.linear_strides[d];
      index += i * g.index_strides[d];
      source += i * g.source_strides[d];
      out += i * g.out_strides[d];
    }
  }
};

__device__ int64_t position_at(const IndexArguments& g, int64_t offset) {
  return static_cast<const int64_t*>(g.index)[offset];
}

template <class T>
__device__ T& cell_at(const ScatterArguments& s, int64_t offset, int64_t position) {
  return static_cast<T*>(s.in_order.out)[offset + (position - 1) * s.out_along];
}

/// For unique positions, or if the order of additions does not matter: `put` runs for many points
/// in parallel.
template <class T, class Put>
__device__ void scatter(const ScatterArguments& s, const Put& put) {
  const IndexArguments& g = s.in_order;
  for (int64_t i = thread_number(); i < g.count; i += thread_count()) {
    Offsets at;
    at.enter(s, 0, g.rank, i);
    const int64_t position = position_at(g, at.index);
    if (!allows(g, position, at.linear)) continue;
    put(cell_at<T>(s, at.out, position), static_cast<const T*>(g.source)[at.source]);
  }
}

/// Copies the positions to a dense array for sorting.
__device__ void collect_positions(const ScatterArguments& s) {
  const IndexArguments& g = s.in_order;
  for (int64_t i = thread_number(); i < s.rows * s.length; i += thread_count()) {
    Offsets at;
    at.enter(s, 0, g.dim + 1, i);
    const int64_t position = position_at(g, at.index);
    s.positions[i] =
        allows(g, position, at.linear) ? static_cast<int32_t>(position - 1) : kWrongPosition;
  }
}

/// After sorting, equal positions are adjacent, in the order of the index. The thread of the first
/// one adds them all up; when writing, the last one counts.
template <class T, bool kAdd>
__device__ void scatter_sorted(const ScatterArguments& s) {
  const IndexArguments& g = s.in_order;
  for (int64_t i = thread_number(); i < s.rows * s.length * s.repeats; i += thread_count()) {
    const int64_t repeat = i % s.repeats, row = i / s.repeats / s.length;
    int64_t entry = i / s.repeats % s.length;
    const unsigned long long* sorted = s.sorted + row * s.length;
    const auto position = [&](int64_t e) { return static_cast<uint32_t>(sorted[e] >> 32); };
    const uint32_t own = position(entry);
    // Sort keys of signed integers have their sign bit inverted.
    const auto from_zero = static_cast<int32_t>(own ^ 0x80000000u);
    if (from_zero == kWrongPosition) continue;
    if (kAdd ? entry > 0 && position(entry - 1) == own
             : entry + 1 < s.length && position(entry + 1) == own)
      continue;
    Offsets at;
    at.enter(s, 0, g.dim, row);
    at.enter(s, g.dim + 1, g.rank, repeat);
    const auto source = [&](int64_t e) {
      const auto along = static_cast<uint32_t>(sorted[e]);
      return static_cast<const T*>(g.source)[at.source + along * g.source_strides[g.dim]];
    };
    T& cell = cell_at<T>(s, at.out, int64_t{from_zero} + 1);
    if constexpr (kAdd) {
      Wide<T> sum = widen(cell);
      const auto add = [&](T value) { sum = static_cast<Wide<T>>(sum + widen(value)); };
      // Issues several loads at a time: a load takes a hundred times as long as an addition.
      constexpr int kTogether = 16;
      for (; entry + kTogether <= s.length && position(entry + kTogether - 1) == own;
           entry += kTogether) {
        T values[kTogether];
#pragma unroll
        for (int i = 0; i < kTogether; ++i) values[i] = source(entry + i);
#pragma unroll
        for (int i = 0; i < kTogether; ++i) add(values[i]);
      }
      for (; entry < s.length && position(entry) == own; ++entry) add(source(entry));
      cell = narrow<T>(sum);
    } else {
      cell = source(entry);
    }
  }
}

/// With `chosen` the maximum: the first of equal values, nan above all; otherwise the sum or mean.
template <class T>
__device__ void reduce_bags(const BagArguments& b) {
  const IndexArguments& g = b.rows;
  for (int64_t i = thread_number(); i < g.count; i += thread_count()) {
    const int64_t bag = i / b.columns, column = i % b.columns;
    Wide<T> total = 0;
    int64_t counted = 0, best = 0;
    for (int64_t linear = b.starts[bag] - 1; linear < b.starts[bag + 1] - 1; ++linear) {
      const int64_t row = static_cast<const int64_t*>(g.index)[linear];
      if (!allows(g, row, linear) || row == b.padding) continue;
      Wide<T> value = widen(static_cast<const T*>(g.x)[(row - 1) * b.columns + column]);
      ++counted;
      if (b.chosen) {
        if (best && !(value > total) && !(is_nan(value) && !is_nan(total))) continue;
        total = value;
        best = row;
        continue;
      }
      if (g.source)
        value = widen(narrow<T>(value * widen(static_cast<const T*>(g.source)[linear])));
      total = total + value;
    }
    if (b.mean && counted > 1) total = total / static_cast<Wide<T>>(counted);
    static_cast<T*>(g.out)[i] = narrow<T>(total);
    if (b.chosen) b.chosen[i] = best;
  }
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

// Kernels that only move elements depend only on their size.
#define TIDE_GATHER(name, T)                                                          \
  extern "C" __global__ void __launch_bounds__(256) gather_##name(IndexArguments g) { \
    gather<T>(g);                                                                     \
  }
TIDE_GATHER(1, uint8_t)
TIDE_GATHER(2, uint16_t)
TIDE_GATHER(4, uint32_t)
TIDE_GATHER(8, uint64_t)

extern "C" __global__ void __launch_bounds__(256) collect_positions(ScatterArguments s) {
  tide::cuda::collect_positions(s);
}

#define TIDE_WRITE(name, T)                                                                    \
  extern "C" __global__ void __launch_bounds__(256) write_apart_##name(ScatterArguments s) {   \
    scatter<T>(s, [](T& cell, T value) { cell = value; });                                     \
  }                                                                                            \
  extern "C" __global__ void __launch_bounds__(256) write_meeting_##name(ScatterArguments s) { \
    scatter_sorted<T, false>(s);                                                               \
  }
TIDE_WRITE(1, uint8_t)
TIDE_WRITE(2, uint16_t)
TIDE_WRITE(4, uint32_t)
TIDE_WRITE(8, uint64_t)

#define TIDE_ADD(name, T)                                                                    \
  extern "C" __global__ void __launch_bounds__(256) add_apart_##name(ScatterArguments s) {   \
    scatter<T>(s, [](T& cell, T value) { cell = narrow<T>(widen(cell) + widen(value)); });   \
  }                                                                                          \
  extern "C" __global__ void __launch_bounds__(256) add_meeting_##name(ScatterArguments s) { \
    scatter_sorted<T, true>(s);                                                              \
  }
TIDE_FLOATING_TYPES(TIDE_ADD)
TIDE_ADD(i16, int16_t)
TIDE_ADD(i8, int8_t)
TIDE_ADD(u8, uint8_t)
TIDE_ADD(bool, bool)

#define TIDE_BAG(name, T)                                                                  \
  extern "C" __global__ void __launch_bounds__(256) embedding_bag_##name(BagArguments b) { \
    reduce_bags<T>(b);                                                                     \
  }
TIDE_FLOATING_TYPES(TIDE_BAG)

// Sums of integers do not depend on the order.
#define TIDE_ADD_ATOMIC(name, T)                                                           \
  extern "C" __global__ void __launch_bounds__(256) add_apart_##name(ScatterArguments s) { \
    scatter<T>(s, [](T& cell, T value) { atomicAdd(&cell, value); });                      \
  }
TIDE_ADD_ATOMIC(i32, unsigned)
TIDE_ADD_ATOMIC(i64, unsigned long long)

extern "C" __global__ void __launch_bounds__(256) check_positions(IndexArguments g) { check(g); }
extern "C" __global__ void __launch_bounds__(1) report_positions(IndexArguments g) { report(g); }
