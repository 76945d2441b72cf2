// The launchers of compute ops, one for each kernels/*.cu, and what they share.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/launchers/compute_launch.h"
#include "runtime/types/dtype.h"

namespace tide::cuda {

/// The suffix of kernel names for a type.
const char* suffix_of(DType type);

/// The number of blocks for one element per thread.
inline int64_t blocks_for(int64_t elements) {
  return (elements + kElementThreads - 1) / kElementThreads;
}

/// Runs `kernel` of kernels/`file`.cu in `blocks` blocks, or in fewer that loop.
template <class Arguments>
void run(ComputeLaunch& call, const char* file, const std::string& kernel, Arguments& arguments,
         int64_t blocks, int threads) {
  if (blocks <= 0) return;
  const LoadedKernel& loaded = call.kernels.loaded().embedded(file, kernel, threads);
  const LaunchShape shape = launch_blocks(blocks, loaded.residency);
  static_assert(sizeof(Arguments) % sizeof(uint64_t) == 0);
  std::array<uint64_t, sizeof(Arguments) / sizeof(uint64_t)> words;
  std::memcpy(words.data(), &arguments, sizeof arguments);
  call.launches.launch({loaded.function, shape}, words);
}

/// The sizes (n, c, h, w) of an array of planes, which may be channels-last.
Shape planes_of(const Shape& shape, bool channels_last);

// Each enqueues its op, or returns false if it has no kernel for these types or sizes.
bool launch_attention(ComputeLaunch& call);
bool launch_convolution(ComputeLaunch& call);
bool launch_eigen_svd(ComputeLaunch& call);
bool launch_indexing(ComputeLaunch& call);
bool launch_linalg(ComputeLaunch& call);
bool launch_matmul(ComputeLaunch& call);
bool launch_scaled_matmul(ComputeLaunch& call);
bool launch_nonzero(ComputeLaunch& call);
bool launch_pairs(ComputeLaunch& call);
bool launch_pooling(ComputeLaunch& call);
bool launch_random(ComputeLaunch& call);
bool launch_require(ComputeLaunch& call);
bool launch_position_check(ComputeLaunch& call);
bool launch_scan(ComputeLaunch& call);
bool launch_sort(ComputeLaunch& call);

}  // namespace tide::cuda
