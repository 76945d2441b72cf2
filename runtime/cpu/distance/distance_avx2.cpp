// Distance kernels for AVX2.
#include "runtime/cpu/avx2_vectors.h"
#include "runtime/cpu/distance/distance_kernel.h"

namespace tide {

const DistanceKernel<float> kDistanceAvx2_32 = distance_kernel_of<Float>();
const DistanceKernel<double> kDistanceAvx2_64 = distance_kernel_of<Double>();

}  // namespace tide
