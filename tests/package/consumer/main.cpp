// Computes with fused kernels and a convolution, in C++ only.
#include <cstdio>

#include "runtime/tide.h"

int main() {
  tide::TensorOptions floats;
  floats.dtype = tide::DType::f32;
  const tide::Tensor x = tide::arange_to(100, floats);
  const tide::Tensor odd_sum = tide::sum(tide::add(tide::mul(x, 2), 1));
  const tide::Tensor patches = tide::conv2d(tide::ones({1, 1, 5, 5}), tide::ones({1, 1, 3, 3}));
  float total = 0, patch[9] = {};
  odd_sum.read(&total, "main");
  patches.read(patch, "main");
  std::printf("%g %g\n", total, patch[8]);
  // Large enough to be compiled immediately.
  float count = 0;
  tide::sum(tide::ones({1 << 22})).read(&count, "main");
  const tide::KernelStatistics kernels = tide::kernel_statistics();
  std::printf("%s\n", count == 1 << 22 && kernels.compiled + kernels.from_disk > 0 ? "compiled"
                                                                                   : "interpreted");
}
