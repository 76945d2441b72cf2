// A CUDA device for tests: on the fake driver, or on the real one if TIDE_CUDA_PATH is not set.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/cuda/backend/cuda_stream_backend.h"
#include "tests/runtime/codegen/random_program.h"

namespace tide::test {

/// cuda:0. Created on the first call.
cuda::CudaDeviceBackend& cuda_device();
/// A stream of it, with this thread as its queue's. Created on the first call.
cuda::CudaStreamBackend& cuda_work();

/// The driver's stream of the device, for work of the tests. Created on the first call.
cuda::CudaStream cuda_stream();

/// Runs the program on the device: copies its memory there and back.
void run_on_device(LoopCase& loop);
/// Runs loops of one program on the device with as few launches as possible; returns their number.
size_t run_together_on_device(std::span<LoopCase> loops);

}  // namespace tide::test
