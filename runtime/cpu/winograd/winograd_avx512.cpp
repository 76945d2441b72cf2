// Transforms of Winograd's convolution for AVX-512.
#include "runtime/cpu/avx512_vectors.h"
#include "runtime/cpu/winograd/winograd_kernel.h"

namespace tide {

const WinogradKernel kWinogradAvx512 = Winograd<Float>::kernel();

}  // namespace tide
