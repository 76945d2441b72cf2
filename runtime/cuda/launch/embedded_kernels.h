// The kernels of runtime/cuda/kernels, which a build with nvcc has: as PTX in the plugin
// tide-cuda.so, and assembled for sm_90, say, in tide-cuda-90.so.
#pragma once

#include <string>
#include <vector>

namespace tide::cuda {

/// The PTX of `file` ("matmul" for matmul.cu), or null if there is no plugin. Opens it on the first
/// call. Valid until the process ends.
const char* embedded_ptx(const char* file);

/// The same assembled for devices of compute capability `capability` (90 for 9.0), as a fatbin of
/// one image, which saves the driver's compiler some seconds; null if there is nothing for them.
const void* embedded_binary(const char* file, int capability);

/// What there are plugins for: "sm_90" for each with machine code, "compute_75" for that with PTX.
std::vector<std::string> embedded_architectures();

}  // namespace tide::cuda
