// The kernels of runtime/cuda/kernels as PTX: in the plugin tide-cuda.so, which a build with nvcc
// has.
#pragma once

namespace tide::cuda {

/// The PTX of `file` ("matmul" for matmul.cu), or null if there is no plugin. Opens it on the first
/// call. Valid until the process ends.
const char* embedded_ptx(const char* file);

}  // namespace tide::cuda
