// Definitions and gradients of special functions of one argument.
#pragma once

#include "runtime/ir/definitions/op_gradient.h"
#include "runtime/ir/math/math.h"

namespace tide::definition {

struct Erf {
  template <class V>
  static V value(V x) {
    return math::erf(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * (exp(neg(x * x)) * 1.1283791670955126);
  }
};

struct Erfc {
  template <class V>
  static V value(V x) {
    return math::erfc(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * (exp(neg(x * x)) * -1.1283791670955126);
  }
};

/// log |gamma(x)|.
struct Lgamma {
  template <class V>
  static V value(V x) {
    return math::lgamma(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * digamma(x);
  }
};

/// The derivative of lgamma.
struct Digamma {
  template <class V>
  static V value(V x) {
    return math::digamma(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * trigamma(x);
  }
};

/// The derivative of digamma.
struct Trigamma {
  template <class V>
  static V value(V x) {
    return math::trigamma(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * polygamma(2, x);
  }
};

/// The inverse of erf.
struct Erfinv {
  template <class V>
  static V value(V x) {
    return math::erfinv(x);
  }
  static constexpr unsigned kNeeds = kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor&, const Tensor& y, const Tensor& dy) {
    return dy * (exp(y * y) * 0.886226925452758);
  }
};

/// exp(x^2) erfc(x).
struct Erfcx {
  template <class V>
  static V value(V x) {
    return math::erfcx(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (x * y * 2.0 - 1.1283791670955126);
  }
};

/// I1(x) / x, also at 0; also for the scaled function or J1.
template <class Tensor>
Tensor bessel_slope(const Tensor& i1_of_x, const Tensor& x) {
  const Tensor at_zero = eq(x, 0.0);
  return where(at_zero, 0.5, i1_of_x / where(at_zero, 1.0, x));
}

/// Modified Bessel functions of order 0 and 1, also multiplied by exp(-|x|).
struct I0 {
  template <class V>
  static V value(V x) {
    return math::i0(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * i1(x);
  }
};
struct I0e {
  template <class V>
  static V value(V x) {
    return math::i0e(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (i1e(x) - sign(x) * y);
  }
};
struct I1 {
  template <class V>
  static V value(V x) {
    return math::i1(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (i0(x) - bessel_slope(y, x));
  }
};
struct I1e {
  template <class V>
  static V value(V x) {
    return math::i1e(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (i0e(x) - sign(x) * y - bessel_slope(y, x));
  }
};

/// Bessel functions of order 0 and 1: J, Y, K, and K multiplied by exp(x).
struct BesselJ0 {
  template <class V>
  static V value(V x) {
    return math::bessel_j0(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * (-bessel_j1(x));
  }
};
struct BesselJ1 {
  template <class V>
  static V value(V x) {
    return math::bessel_j1(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (bessel_j0(x) - bessel_slope(y, x));
  }
};
struct BesselY0 {
  template <class V>
  static V value(V x) {
    return math::bessel_y0(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * (-bessel_y1(x));
  }
};
struct BesselY1 {
  template <class V>
  static V value(V x) {
    return math::bessel_y1(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (bessel_y0(x) - y / x);
  }
};
struct BesselK0 {
  template <class V>
  static V value(V x) {
    return math::bessel_k0(x);
  }
  static constexpr unsigned kNeeds = kNeedsA;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor&, const Tensor& dy) {
    return dy * (-modified_bessel_k1(x));
  }
};
struct BesselK1 {
  template <class V>
  static V value(V x) {
    return math::bessel_k1(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (-modified_bessel_k0(x) - y / x);
  }
};
struct BesselK0e {
  template <class V>
  static V value(V x) {
    return math::bessel_k0e(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (y - scaled_modified_bessel_k1(x));
  }
};
struct BesselK1e {
  template <class V>
  static V value(V x) {
    return math::bessel_k1e(x);
  }
  static constexpr unsigned kNeeds = kNeedsA | kNeedsY;
  template <class Tensor>
  static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy) {
    return dy * (y - scaled_modified_bessel_k0(x) - y / x);
  }
};

}  // namespace tide::definition
