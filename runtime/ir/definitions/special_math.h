// Definitions and gradients of special functions of one argument.
#pragma once

#include "runtime/ir/definitions/op_definition.h"
#include "runtime/ir/math/math.h"

namespace tide::definition {

struct Erf : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::erf(x); }
  static auto gradient(const auto& v) { return v.dy * (exp(neg(v.x * v.x)) * 1.1283791670955126); }
};
struct Erfc : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::erfc(x); }
  static auto gradient(const auto& v) { return v.dy * (exp(neg(v.x * v.x)) * -1.1283791670955126); }
};
/// exp(x^2) erfc(x).
struct Erfcx : Differentiable<kNeedsX | kNeedsY> {
  static auto value(auto x) { return math::erfcx(x); }
  static auto gradient(const auto& v) { return v.dy * (v.x * v.y * 2.0 - 1.1283791670955126); }
};
/// The inverse of erf.
struct Erfinv : Differentiable<kNeedsY> {
  static auto value(auto x) { return math::erfinv(x); }
  static auto gradient(const auto& v) { return v.dy * (exp(v.y * v.y) * 0.886226925452758); }
};

/// log |gamma(x)|.
struct Lgamma : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::lgamma(x); }
  static auto gradient(const auto& v) { return v.dy * digamma(v.x); }
};
/// The derivative of lgamma.
struct Digamma : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::digamma(x); }
  static auto gradient(const auto& v) { return v.dy * trigamma(v.x); }
};
/// The derivative of digamma.
struct Trigamma : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::trigamma(x); }
  static auto gradient(const auto& v) { return v.dy * polygamma(2, v.x); }
};

/// I1(x) / x, also at 0; also for the scaled function or J1.
auto bessel_slope(const auto& i1_of_x, const auto& x) {
  const auto at_zero = eq(x, 0.0);
  return where(at_zero, 0.5, i1_of_x / where(at_zero, 1.0, x));
}

/// Modified Bessel functions of order 0 and 1, also multiplied by exp(-|x|).
struct I0 : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::i0(x); }
  static auto gradient(const auto& v) { return v.dy * i1(v.x); }
};
struct I0e : Differentiable<kNeedsX | kNeedsY> {
  static auto value(auto x) { return math::i0e(x); }
  static auto gradient(const auto& v) { return v.dy * (i1e(v.x) - sign(v.x) * v.y); }
};
struct I1 : Differentiable<kNeedsX | kNeedsY> {
  static auto value(auto x) { return math::i1(x); }
  static auto gradient(const auto& v) { return v.dy * (i0(v.x) - bessel_slope(v.y, v.x)); }
};
struct I1e : Differentiable<kNeedsX | kNeedsY> {
  static auto value(auto x) { return math::i1e(x); }
  static auto gradient(const auto& v) {
    return v.dy * (i0e(v.x) - sign(v.x) * v.y - bessel_slope(v.y, v.x));
  }
};

/// Bessel functions of order 0 and 1: J, Y, K, and K multiplied by exp(x).
struct BesselJ0 : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::bessel_j0(x); }
  static auto gradient(const auto& v) { return v.dy * (-bessel_j1(v.x)); }
};
struct BesselJ1 : Differentiable<kNeedsX | kNeedsY> {
  static auto value(auto x) { return math::bessel_j1(x); }
  static auto gradient(const auto& v) { return v.dy * (bessel_j0(v.x) - bessel_slope(v.y, v.x)); }
};
struct BesselY0 : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::bessel_y0(x); }
  static auto gradient(const auto& v) { return v.dy * (-bessel_y1(v.x)); }
};
struct BesselY1 : Differentiable<kNeedsX | kNeedsY> {
  static auto value(auto x) { return math::bessel_y1(x); }
  static auto gradient(const auto& v) { return v.dy * (bessel_y0(v.x) - v.y / v.x); }
};
struct BesselK0 : Differentiable<kNeedsX> {
  static auto value(auto x) { return math::bessel_k0(x); }
  static auto gradient(const auto& v) { return v.dy * (-modified_bessel_k1(v.x)); }
};
struct BesselK1 : Differentiable<kNeedsX | kNeedsY> {
  static auto value(auto x) { return math::bessel_k1(x); }
  static auto gradient(const auto& v) { return v.dy * (-modified_bessel_k0(v.x) - v.y / v.x); }
};
struct BesselK0e : Differentiable<kNeedsX | kNeedsY> {
  static auto value(auto x) { return math::bessel_k0e(x); }
  static auto gradient(const auto& v) { return v.dy * (v.y - scaled_modified_bessel_k1(v.x)); }
};
struct BesselK1e : Differentiable<kNeedsX | kNeedsY> {
  static auto value(auto x) { return math::bessel_k1e(x); }
  static auto gradient(const auto& v) {
    return v.dy * (v.y - scaled_modified_bessel_k0(v.x) - v.y / v.x);
  }
};

}  // namespace tide::definition
