// Transforms of Winograd's convolution for AVX2 and FMA.
#include "runtime/cpu/avx2_vectors.h"
#include "runtime/cpu/winograd/winograd_kernel.h"

namespace tide {

const WinogradKernel kWinogradAvx2 = Winograd<Float>::kernel();

}  // namespace tide
