// What the host's halves of compute ops have in common: names and launches of embedded kernels.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "runtime/core/dtype.h"
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/launch/compute_kernels.h"

namespace tide::cuda {

/// What the kernels of a type are called after.
const char* suffix_of(DType type);

/// Blocks of threads that take an element each.
inline int64_t blocks_for(int64_t elements) {
  return (elements + kElementThreads - 1) / kElementThreads;
}

/// Runs `kernel` of kernels/`file`.cu over so many blocks, or fewer that take turns.
template <class Arguments>
void run(ComputeLaunch& call, const char* file, const std::string& kernel, Arguments& arguments,
         int64_t blocks, int threads) {
  if (blocks <= 0) return;
  const LoadedKernel& loaded = call.kernels.loaded().embedded(file, kernel, threads);
  const LaunchShape shape = launch_blocks(blocks, loaded.residency);
  static_assert(sizeof(Arguments) % sizeof(uint64_t) == 0);
  std::array<uint64_t, sizeof(Arguments) / sizeof(uint64_t)> words;
  std::memcpy(words.data(), &arguments, sizeof arguments);
  call.launches.launch(loaded.function, shape, words);
}

/// The part of `launch_compute` that is linear algebra: matrices of up to kLargestMatrix rows and
/// columns.
bool launch_linalg(ComputeLaunch& call);

/// The part of `launch_compute` that sorts, chooses, gathers and scatters.
bool launch_indexing(ComputeLaunch& call);

}  // namespace tide::cuda
