// Functions of pairs of numbers.
#pragma once

#include "runtime/tensor/tensor.h"

namespace tide {

/// The greatest common divisor and the least common multiple of integers; not negative.
Tensor gcd(const Tensor& a, const Tensor& b);
Tensor lcm(const Tensor& a, const Tensor& b);
/// The next representable value after a towards b.
Tensor nextafter(const Tensor& a, const Tensor& b);

}  // namespace tide
