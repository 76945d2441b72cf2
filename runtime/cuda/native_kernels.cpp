#include "runtime/cuda/native_kernels.h"

namespace tide::cuda {

bool launch_native(NativeLaunch&) { return false; }

}  // namespace tide::cuda
