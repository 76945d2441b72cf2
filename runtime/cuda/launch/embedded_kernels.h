// The kernels of runtime/cuda/kernels, in builds with nvcc: as PTX in the plugin tide-cuda.so, and
// as machine code in one plugin per architecture, such as tide-cuda-90.so for sm_90.
#pragma once

#include <string>
#include <vector>

namespace tide::cuda {

/// The PTX of `file` ("matmul" for matmul.cu), or null if there is no plugin. Opens it on the first
/// call. Valid until the process ends.
const char* embedded_ptx(const char* file);

/// The machine code of `file` for compute capability `capability` (90 for 9.0), as a fatbin with
/// one image, which saves seconds of JIT compilation; null if there is none.
const void* embedded_binary(const char* file, int capability);

/// The architectures of the plugins: "sm_90" for machine code, "compute_75" for PTX.
std::vector<std::string> embedded_architectures();

}  // namespace tide::cuda
