// Orthogonal polynomials.
#pragma once

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Polynomials of degree n at x, by their recurrences. n is truncated to an integer; for
/// negative n the value is 0. Degrees in a tensor are read, which waits. Throws Error for degrees
/// above 10000.
Tensor chebyshev_polynomial_t(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor chebyshev_polynomial_u(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor chebyshev_polynomial_v(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor chebyshev_polynomial_w(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor shifted_chebyshev_polynomial_t(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor shifted_chebyshev_polynomial_u(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor shifted_chebyshev_polynomial_v(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor shifted_chebyshev_polynomial_w(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor hermite_polynomial_h(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor hermite_polynomial_he(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor laguerre_polynomial_l(const TensorOrNumber& x, const TensorOrNumber& n);
Tensor legendre_polynomial_p(const TensorOrNumber& x, const TensorOrNumber& n);

}  // namespace tide
