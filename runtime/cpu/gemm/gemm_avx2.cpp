// Matrix product kernels for AVX2 and FMA.
#include "runtime/cpu/avx2_vectors.h"
#include "runtime/cpu/gemm/gemm_kernel.h"

namespace tide {

const GemmKernel<float> kGemmAvx2_32 = gemm_kernel_of<Float>();
const GemmKernel<double> kGemmAvx2_64 = gemm_kernel_of<Double>();
const GemmKernel<uint32_t> kGemmAvx2Pairs = gemm_kernel_of<Pair>();

}  // namespace tide
