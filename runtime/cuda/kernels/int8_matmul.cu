// Helpers for int8 matrix products with cuBLASLt: rearrange the factors, and take the low bits of
// the sums.
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

using namespace tide::cuda;

/// Tiles go through shared memory, so that adjacent threads read along the contiguous dimension and
/// write along rows, four bytes each.
extern "C" __global__ void __launch_bounds__(kArrangeThreads) arrange_bytes(ArrangeArguments g) {
  __shared__ alignas(4) int8_t tile[kArrangeTile][kArrangeTile + 4];
  const int64_t across = (g.padded_columns + kArrangeTile - 1) / kArrangeTile;
  const int64_t tiles = (g.padded_rows + kArrangeTile - 1) / kArrangeTile * across;
  const int8_t* from = static_cast<const int8_t*>(g.from);
  for (int64_t item = blockIdx.x; item < tiles; item += gridDim.x) {
    const int64_t first_row = item / across * kArrangeTile,
                  first_column = item % across * kArrangeTile;
    for (int i = threadIdx.x; i < kArrangeTile * kArrangeTile; i += kArrangeThreads) {
      const bool along_rows = g.row_stride == 1;
      const int r = along_rows ? i % kArrangeTile : i / kArrangeTile,
                c = along_rows ? i / kArrangeTile : i % kArrangeTile;
      const int64_t row = first_row + r, column = first_column + c;
      const bool inside = row < g.rows && column < g.columns;
      tile[r][c] = inside ? from[row * g.row_stride + column * g.column_stride] : int8_t{0};
    }
    __syncthreads();
    for (int i = threadIdx.x; i < kArrangeTile * kArrangeTile / 4; i += kArrangeThreads) {
      const int r = i / (kArrangeTile / 4), c = i % (kArrangeTile / 4) * 4;
      const int64_t row = first_row + r, column = first_column + c;
      if (row < g.padded_rows && column < g.padded_columns)
        *reinterpret_cast<int32_t*>(static_cast<int8_t*>(g.to) + row * g.padded_columns + column) =
            *reinterpret_cast<const int32_t*>(&tile[r][c]);
    }
    __syncthreads();
  }
}

namespace tide::cuda {
namespace {

template <class R>
__device__ void narrow_sums(const NarrowArguments& g) {
  const int64_t groups = (g.columns + kNarrowOwn - 1) / kNarrowOwn;
  for (int64_t i = thread_number(); i < g.rows * groups; i += thread_count()) {
    const int64_t row = i / groups, column = i % groups * kNarrowOwn;
    const int4 sums = *reinterpret_cast<const int4*>(g.sums + row * g.sums_stride + column);
    const int32_t values[kNarrowOwn] = {sums.x, sums.y, sums.z, sums.w};
    R* to = static_cast<R*>(g.to) + row * g.to_stride + column;
#pragma unroll
    for (int j = 0; j < kNarrowOwn; ++j) {
      if (column + j >= g.columns) continue;
      const R added = g.bias ? static_cast<const R*>(g.bias)[(column + j) * g.bias_stride] : R(0);
      to[j] = static_cast<R>(static_cast<unsigned>(values[j]) + static_cast<unsigned>(added));
    }
  }
}

}  // namespace
}  // namespace tide::cuda

extern "C" __global__ void narrow_sums_1(NarrowArguments g) { narrow_sums<int8_t>(g); }
extern "C" __global__ void narrow_sums_4(NarrowArguments g) { narrow_sums<int32_t>(g); }
