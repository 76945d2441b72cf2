// Matrix product kernels for AVX-512.
#include "runtime/cpu/avx512_vectors.h"
#include "runtime/cpu/gemm/gemm_kernel.h"

namespace tide {

const GemmKernel<float> kGemmAvx512_32 = gemm_kernel_of<Float>();
const GemmKernel<double> kGemmAvx512_64 = gemm_kernel_of<Double>();
const GemmKernel<uint32_t> kGemmAvx512Pairs = gemm_kernel_of<Pair>();

}  // namespace tide
