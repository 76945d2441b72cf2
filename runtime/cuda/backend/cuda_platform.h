// The kind "cuda": its devices, as reported by the driver and NVML.
#pragma once

#include "runtime/cuda/backend/cuda_device_backend.h"
#include "runtime/device/platform.h"

namespace tide::cuda {

/// `host_compute` finds routines for ops that have no CUDA kernel.
const Platform& cuda_platform(HostCompute host_compute);

}  // namespace tide::cuda
