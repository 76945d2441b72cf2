// Reading and writing at positions that are stored in arrays. A position out of range reads as if
// clamped and writes nothing; what stands at the least such place is reported.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {
namespace {

__device__ bool allows(const IndexArguments& g, int64_t position, int64_t place) {
  if (position >= 1 && position <= g.limit) return true;
  atomicMin(g.first_wrong, static_cast<unsigned long long>(place));
  return false;
}

template <class T>
__device__ void gather(const IndexArguments& g) {
  for (int64_t place = thread_number(); place < g.count; place += thread_count()) {
    int64_t from = 0, at = 0, rest = place;
    for (int d = g.rank - 1; d >= 0; --d) {
      const int64_t i = rest % g.shape[d];
      rest /= g.shape[d];
      at += i * g.index_strides[d];
      if (d != g.dim) from += i * g.x_strides[d];
    }
    int64_t position = static_cast<const int64_t*>(g.index)[at];
    if (!allows(g, position, place)) position = position < 1 ? 1 : g.limit;
    static_cast<T*>(g.out)[place] =
        g.limit ? static_cast<const T*>(g.x)[from + (position - 1) * g.x_strides[g.dim]] : T(0);
  }
}

/// One thread tells the host what the kernel before has found.
__device__ void report(const IndexArguments& g) {
  unsigned long long place = *g.first_wrong;
  if (place == ~0ull) return;
  *g.first_wrong = ~0ull;
  int64_t at = 0;
  for (int d = g.rank - 1; d >= 0; --d) {
    const auto size = static_cast<unsigned long long>(g.shape[d]);
    at += static_cast<int64_t>(place % size) * g.index_strides[d];
    place /= size;
  }
  g.report->position = static_cast<const int64_t*>(g.index)[at];
  g.report->wrong = 1;
}

/// A thread takes all points that differ along dim only, in order: they may meet.
template <class T>
__device__ void scatter(const IndexArguments& g) {
  int64_t inner = 1;
  for (int d = g.dim + 1; d < g.rank; ++d) inner *= g.shape[d];
  for (int64_t lane = thread_number(); lane < g.count; lane += thread_count()) {
    int64_t at = 0, from = 0, to = 0, rest = lane;
    for (int d = g.rank - 1; d >= 0; --d) {
      if (d == g.dim) continue;
      const int64_t i = rest % g.shape[d];
      rest /= g.shape[d];
      at += i * g.index_strides[d];
      from += i * g.source_strides[d];
      to += i * g.out_strides[d];
    }
    const int64_t length = g.shape[g.dim], first = lane / inner * length * inner + lane % inner;
    for (int64_t j = 0; j < length; ++j) {
      const int64_t position =
          static_cast<const int64_t*>(g.index)[at + j * g.index_strides[g.dim]];
      if (!allows(g, position, first + j * inner)) continue;
      T& cell = static_cast<T*>(g.out)[to + (position - 1) * g.out_strides[g.dim]];
      const T value = static_cast<const T*>(g.source)[from + j * g.source_strides[g.dim]];
      cell = g.add ? static_cast<T>(cell + value) : value;
    }
  }
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

// Elements that are only moved are told by their size.
#define TIDE_GATHER(name, T)                                                          \
  extern "C" __global__ void __launch_bounds__(256) gather_##name(IndexArguments g) { \
    gather<T>(g);                                                                     \
  }
TIDE_GATHER(1, uint8_t)
TIDE_GATHER(2, uint16_t)
TIDE_GATHER(4, uint32_t)
TIDE_GATHER(8, uint64_t)

#define TIDE_SCATTER(name, T)                                                          \
  extern "C" __global__ void __launch_bounds__(256) scatter_##name(IndexArguments g) { \
    scatter<T>(g);                                                                     \
  }
TIDE_SCATTER(1, uint8_t)
TIDE_SCATTER(2, uint16_t)
TIDE_SCATTER(4, uint32_t)
TIDE_SCATTER(8, uint64_t)
TIDE_SCATTER(f32, float)
TIDE_SCATTER(f64, double)

extern "C" __global__ void __launch_bounds__(1) report_positions(IndexArguments g) { report(g); }
