// Distance kernels for every x86-64 processor.
#include "runtime/cpu/baseline_vectors.h"
#include "runtime/cpu/distance/distance_kernel.h"

namespace tide {

const DistanceKernel<float> kDistanceBaseline32 = distance_kernel_of<Float>();
const DistanceKernel<double> kDistanceBaseline64 = distance_kernel_of<Double>();

}  // namespace tide
