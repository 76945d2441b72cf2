// Orthogonal polynomials, by their recurrences of three terms (Abramowitz and Stegun 22.7).
#include "runtime/ops/math/polynomials.h"

#include <cmath>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

constexpr double kMostSteps = 10000;

/// The polynomial of degree k + 1 at x, from those of degrees k and k - 1.
using Step = Tensor (*)(const Tensor& x, const Tensor& p, const Tensor& previous, double k);

/// The largest degree, as an integer. Waits if it is in a tensor.
double largest_degree(const char* name, const TensorOrNumber& n) {
  double largest = n.number.as_double();
  if (n.tensor.defined()) {
    if (n.tensor.numel() == 0) return 0;
    convert(max_all(detach(n.tensor)), DType::f64).read(&largest, name);
  }
  if (!(largest <= kMostSteps))
    throw Error(std::string(name) + ": n must be at most 10000, got " + std::to_string(largest));
  return std::trunc(largest);
}

/// The polynomial of degree n at x, computed in f64: 1, slope * x + start, and so on by `step`.
Tensor evaluate(const char* name, const TensorOrNumber& points, const TensorOrNumber& n,
                double slope, double start, Step step) {
  const DType type = floating_type(common_type(name, points, n));
  const Device device = (points.tensor.defined() ? points : n).tensor.device();
  const Tensor x = points.tensor.defined() ? convert(points.tensor, DType::f64)
                                           : full({}, points.number.as_double(),
                                                  {.dtype = DType::f64, .device = device});
  const double largest = largest_degree(name, n);
  Shape shape = x.shape();
  Tensor degree;
  if (n.tensor.defined()) {
    shape = broadcast(name, shape, n.tensor.shape());
    degree = trunc(convert(detach(n.tensor), DType::f64));
  }
  // For each degree that occurs, selects the elements with this degree.
  const Tensor zero = x * 0.0;
  Tensor previous = zero, p = zero + 1, y = largest < 0 ? zero : p;
  if (degree.defined()) y = where(eq(degree, 0), p, 0.0);
  for (double k = 0; k < largest; ++k) {
    const Tensor next = k == 0 ? x * slope + start : step(x, p, previous, k);
    previous = p;
    p = next;
    y = degree.defined() ? where(eq(degree, k + 1), p, y) : p;
  }
  return convert(broadcast_to(y, shape), type);
}

Tensor chebyshev_step(const Tensor& x, const Tensor& p, const Tensor& previous, double) {
  return x * p * 2 - previous;
}

/// The polynomial at 2 x - 1.
Tensor shifted(Tensor (*polynomial)(const TensorOrNumber&, const TensorOrNumber&),
               const TensorOrNumber& x, const TensorOrNumber& n) {
  if (x.tensor.defined())
    return polynomial(convert(x.tensor, floating_type(x.tensor.dtype())) * 2 - 1, n);
  return polynomial(x.number.as_double() * 2 - 1, n);
}

}  // namespace

Tensor chebyshev_polynomial_t(const TensorOrNumber& x, const TensorOrNumber& n) {
  return evaluate("chebyshev_polynomial_t", x, n, 1, 0, chebyshev_step);
}

Tensor chebyshev_polynomial_u(const TensorOrNumber& x, const TensorOrNumber& n) {
  return evaluate("chebyshev_polynomial_u", x, n, 2, 0, chebyshev_step);
}

Tensor chebyshev_polynomial_v(const TensorOrNumber& x, const TensorOrNumber& n) {
  return evaluate("chebyshev_polynomial_v", x, n, 2, -1, chebyshev_step);
}

Tensor chebyshev_polynomial_w(const TensorOrNumber& x, const TensorOrNumber& n) {
  return evaluate("chebyshev_polynomial_w", x, n, 2, 1, chebyshev_step);
}

Tensor shifted_chebyshev_polynomial_t(const TensorOrNumber& x, const TensorOrNumber& n) {
  return shifted(chebyshev_polynomial_t, x, n);
}

Tensor shifted_chebyshev_polynomial_u(const TensorOrNumber& x, const TensorOrNumber& n) {
  return shifted(chebyshev_polynomial_u, x, n);
}

Tensor shifted_chebyshev_polynomial_v(const TensorOrNumber& x, const TensorOrNumber& n) {
  return shifted(chebyshev_polynomial_v, x, n);
}

Tensor shifted_chebyshev_polynomial_w(const TensorOrNumber& x, const TensorOrNumber& n) {
  return shifted(chebyshev_polynomial_w, x, n);
}

Tensor hermite_polynomial_h(const TensorOrNumber& x, const TensorOrNumber& n) {
  return evaluate("hermite_polynomial_h", x, n, 2, 0,
                  [](const Tensor& x, const Tensor& p, const Tensor& previous, double k) {
                    return (x * p - previous * k) * 2;
                  });
}

Tensor hermite_polynomial_he(const TensorOrNumber& x, const TensorOrNumber& n) {
  return evaluate("hermite_polynomial_he", x, n, 1, 0,
                  [](const Tensor& x, const Tensor& p, const Tensor& previous, double k) {
                    return x * p - previous * k;
                  });
}

Tensor laguerre_polynomial_l(const TensorOrNumber& x, const TensorOrNumber& n) {
  return evaluate("laguerre_polynomial_l", x, n, -1, 1,
                  [](const Tensor& x, const Tensor& p, const Tensor& previous, double k) {
                    return ((2 * k + 1 - x) * p - previous * k) / (k + 1);
                  });
}

Tensor legendre_polynomial_p(const TensorOrNumber& x, const TensorOrNumber& n) {
  return evaluate("legendre_polynomial_p", x, n, 1, 0,
                  [](const Tensor& x, const Tensor& p, const Tensor& previous, double k) {
                    return (x * p * (2 * k + 1) - previous * k) / (k + 1);
                  });
}

}  // namespace tide
