// Matrix product kernels for every x86-64 processor: SSE2, without fused multiply-adds.
#include "runtime/cpu/baseline_vectors.h"
#include "runtime/cpu/gemm/gemm_kernel.h"

namespace tide {

const GemmKernel<float> kGemmBaseline32 = gemm_kernel_of<Float>();
const GemmKernel<double> kGemmBaseline64 = gemm_kernel_of<Double>();
const GemmKernel<uint32_t> kGemmBaselinePairs = gemm_kernel_of<Pair>();

}  // namespace tide
