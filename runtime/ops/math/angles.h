// Functions of angles.
#pragma once

#include "runtime/tensor/tensor.h"

namespace tide {

/// x in radians and in degrees.
Tensor deg2rad(const Tensor& x);
Tensor rad2deg(const Tensor& x);
/// sin(pi x) / (pi x), 1 at 0.
Tensor sinc(const Tensor& x);
/// sin(x) / x, 1 at 0.
Tensor spherical_bessel_j0(const Tensor& x);

}  // namespace tide
