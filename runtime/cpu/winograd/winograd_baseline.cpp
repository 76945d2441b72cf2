// Transforms of Winograd's convolution for every x86-64 processor.
#include "runtime/cpu/baseline_vectors.h"
#include "runtime/cpu/winograd/winograd_kernel.h"

namespace tide {

const WinogradKernel kWinogradBaseline = Winograd<Float>::kernel();

}  // namespace tide
