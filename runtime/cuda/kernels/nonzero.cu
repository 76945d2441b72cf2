// The indices of true elements, in row-major order: counts those of each tile, scans the counts,
// then writes each tile's indices after those of the tiles before it.
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "runtime/cuda/kernels/arguments.h"

namespace tide::cuda {
namespace {

constexpr int kOwn = kNonzeroTile / kNonzeroThreads;  ///< adjacent elements per thread
static_assert(kOwn == sizeof(uint4));

/// A bit for each of a thread's elements, starting at `first`: whether it is true.
__device__ uint32_t true_ones(const NonzeroArguments& g, int64_t first) {
  union {
    uint4 all;
    uint8_t each[kOwn];
  } own{};
  const uint8_t* from = g.mask + first;
  if (first + kOwn <= g.count && reinterpret_cast<uintptr_t>(from) % sizeof own == 0) {
    own.all = *reinterpret_cast<const uint4*>(from);
  } else {
#pragma unroll
    for (int i = 0; i < kOwn; ++i) own.each[i] = first + i < g.count ? from[i] : 0;
  }
  uint32_t bits = 0;
#pragma unroll
  for (int i = 0; i < kOwn; ++i) bits |= static_cast<uint32_t>(own.each[i] != 0) << i;
  return bits;
}

/// The first element of this thread in a tile.
__device__ int64_t first_of(int64_t tile) {
  return tile * kNonzeroTile + static_cast<int64_t>(threadIdx.x) * kOwn;
}

__device__ void write_position(const NonzeroArguments& g, int64_t i, int64_t element) {
  if (i >= g.found) return;
  int64_t* to = g.positions + i * g.rank;
#pragma unroll 1
  for (int d = g.rank - 1; d > 0; --d) {
    to[d] = element % g.shape[d] + 1;
    element /= g.shape[d];
  }
  to[0] = element + 1;
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

extern "C" __global__ void __launch_bounds__(kNonzeroThreads) count_nonzero(NonzeroArguments g) {
  using Reduce = cub::BlockReduce<int, kNonzeroThreads>;
  __shared__ typename Reduce::TempStorage memory;
  for (int64_t tile = blockIdx.x; tile < g.tiles; tile += gridDim.x) {
    const int sum = Reduce(memory).Sum(__popc(true_ones(g, first_of(tile))));
    if (threadIdx.x == 0) g.starts[tile] = sum;
    __syncthreads();
  }
}

/// Launched with one block.
extern "C" __global__ void __launch_bounds__(kNonzeroThreads) add_counts(NonzeroArguments g) {
  constexpr int kCounts = 4;
  using Scan = cub::BlockScan<int64_t, kNonzeroThreads>;
  __shared__ typename Scan::TempStorage memory;
  int64_t before = 0;
  for (int64_t round = 0; round < g.tiles; round += kNonzeroThreads * kCounts) {
    const int64_t first = round + static_cast<int64_t>(threadIdx.x) * kCounts;
    int64_t counts[kCounts], all = 0;
#pragma unroll
    for (int i = 0; i < kCounts; ++i) counts[i] = first + i < g.tiles ? g.starts[first + i] : 0;
    Scan(memory).ExclusiveSum(counts, counts, all);
#pragma unroll
    for (int i = 0; i < kCounts; ++i)
      if (first + i < g.tiles) g.starts[first + i] = before + counts[i];
    before += all;
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(kNonzeroThreads)
    write_nonzero(const __grid_constant__ NonzeroArguments g) {
  using Scan = cub::BlockScan<int, kNonzeroThreads>;
  __shared__ typename Scan::TempStorage memory;
  for (int64_t tile = blockIdx.x; tile < g.tiles; tile += gridDim.x) {
    const int64_t first = first_of(tile);
    uint32_t bits = true_ones(g, first);
    int before = 0;
    Scan(memory).ExclusiveSum(__popc(bits), before);
    int64_t output = g.starts[tile] + before;
    for (; bits; bits &= bits - 1) write_position(g, output++, first + __clz(__brev(bits)));
    __syncthreads();
  }
}
