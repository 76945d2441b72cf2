// Distance kernels for AVX-512.
#include "runtime/cpu/avx512_vectors.h"
#include "runtime/cpu/distance/distance_kernel.h"

namespace tide {

const DistanceKernel<float> kDistanceAvx512_32 = distance_kernel_of<Float>();
const DistanceKernel<double> kDistanceAvx512_64 = distance_kernel_of<Double>();

}  // namespace tide
