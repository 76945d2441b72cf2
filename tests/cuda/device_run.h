// A CUDA backend for tests: the fake driver's, or a real one where TIDE_CUDA_PATH names none.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/cuda/backend/cuda_backend.h"
#include "tests/runtime/codegen/random_program.h"

namespace tide::test {

/// The backend of cuda:0, with this thread as its queue's. Made on the first call.
cuda::CudaBackend& cuda_backend();

/// A stream of the backend's device, for what the tests enqueue themselves. Made on the first call.
cuda::Stream cuda_stream();

/// Runs the program on the device: memory goes there, and what it stored comes back.
void run_on_device(LoopCase& loop);
/// Runs loops of one program on the device, in as few launches as can be; how many these are.
size_t run_together_on_device(std::span<LoopCase> loops);

}  // namespace tide::test
