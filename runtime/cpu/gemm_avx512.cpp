// Matrix product kernels for AVX-512.
#include "runtime/cpu/avx512_vectors.h"
#include "runtime/cpu/gemm_kernel.h"

namespace tide {

const GemmKernel<float> kGemmAvx512_32 = {Float::kRows, 2 * Float::kLanes, gemm_block<Float>,
                                          gemm_turn<Float>};
const GemmKernel<double> kGemmAvx512_64 = {Double::kRows, 2 * Double::kLanes, gemm_block<Double>,
                                           gemm_turn<Double>};

}  // namespace tide
