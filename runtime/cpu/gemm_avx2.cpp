// Matrix product kernels for AVX2 and FMA.
#include "runtime/cpu/avx2_vectors.h"
#include "runtime/cpu/gemm_kernel.h"

namespace tide {

const GemmKernel<float> kGemmAvx2_32 = {Float::kRows, 2 * Float::kLanes, gemm_block<Float>,
                                        gemm_turn<Float>};
const GemmKernel<double> kGemmAvx2_64 = {Double::kRows, 2 * Double::kLanes, gemm_block<Double>,
                                         gemm_turn<Double>};

}  // namespace tide
