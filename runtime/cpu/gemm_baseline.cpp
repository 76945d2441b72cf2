// Matrix product kernels for every x86-64 processor: SSE2, without fused multiply-adds.
#include "runtime/cpu/baseline_vectors.h"
#include "runtime/cpu/gemm_kernel.h"

namespace tide {

const GemmKernel<float> kGemmBaseline32 = {Float::kRows, 2 * Float::kLanes, gemm_block<Float>,
                                           gemm_turn<Float>};
const GemmKernel<double> kGemmBaseline64 = {Double::kRows, 2 * Double::kLanes, gemm_block<Double>,
                                            gemm_turn<Double>};

}  // namespace tide
