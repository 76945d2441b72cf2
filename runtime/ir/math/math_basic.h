// Helpers for the functions of math.h: polynomials, exponents as bits, exact products.
#pragma once

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <type_traits>

#include "runtime/types/dtype.h"

namespace tide::math {

constexpr double kLn2 = 0.6931471805599453;
constexpr double kPi = 3.141592653589793;

/// Values have their own convert<D>(x); this only declares the name as a template.
template <DType D>
void convert();

/// Whether x is f64; otherwise these functions treat it as f32.
template <class V>
constexpr bool is_wide(V x) {
  return x.type() == DType::f64;
}

/// A V whose type is an integer type at compile time: floating code would not compile for it.
template <class V>
concept NeverFloating = requires {
  requires !is_floating(V::type());
};

/// floating(a, b) for floating types, else whole(a, b). Both are generic, so that only callable
/// code is compiled.
template <class V, class Floating, class Whole>
constexpr V by_kind(V a, V b, Floating floating, Whole whole) {
  if constexpr (!NeverFloating<V>)
    if (is_floating(a.type())) return floating(a, b);
  return whole(a, b);
}

/// `a` converted to the type of `like`. Also for a V whose type is fixed at compile time.
template <class V, class A>
constexpr V converted(A a, V like) {
  if constexpr (std::is_same_v<A, V>)
    return convert(a, like.type());
  else
    return convert<V::type()>(a);
}

/// x as f64, for functions that are computed with more precision than their result.
template <class V>
constexpr auto widened(V x) {
  return convert<DType::f64>(x);
}

/// f64 x as f32; inexact results are rounded toward zero with the last bit set. Rounding that
/// again, to f16 or bf16, equals rounding x once (S. Boldo, G. Melquiond, "Emulation of a FMA and
/// Correctly Rounded Sums", 2008).
template <class V>
constexpr auto rounded_to_odd(V x) {
  const auto near = convert<DType::f32>(x);
  const auto back = widened(near);
  const auto whole = bits(near);
  const auto one = whole.constant(1);
  const auto toward_zero = whole - select(abs(back) > abs(x), one, whole.constant(0));
  return float_bits(select((back != x) & (x == x), toward_zero | one, whole));
}

/// times * p(times * x) for p(x) = c0 + c1 x + c2 x^2 + ... and `times` a power of two, by Horner's
/// rule: kernels have several vectors in flight, which hides the latency of the dependency chain.
template <class V>
constexpr V polynomial(V x, std::initializer_list<double> coefficients, double times = 1.0) {
  double factor = std::pow(times, static_cast<double>(coefficients.size()));
  const double* const c = coefficients.begin();
  size_t i = coefficients.size() - 1;
  V sum = x.constant(c[i] * factor);
  while (i-- > 0) sum = fma(sum, x, x.constant(c[i] * (factor /= times)));
  return sum;
}

/// 1.5 * 2^p for p mantissa bits: adding it rounds to an integer, which is then in the low bits of
/// the pattern (the addition is exact for |x| < 2^(p - 2)).
template <class V>
constexpr double rounding_number(V x) {
  return is_wide(x) ? 6755399441055744.0 : 12582912.0;
}

/// The nearest integer, ties to even, for |x| < 2^22 (f32) or 2^51 (f64).
template <class V>
constexpr V nearest(V x) {
  const V magic = x.constant(rounding_number(x));
  return (x + magic) - magic;
}

/// The exponent bias of V's type, and the lowest bit of the exponent.
template <class V>
constexpr double exponent_bias(V x) {
  return is_wide(x) ? 1023.0 : 127.0;
}
template <class V>
constexpr int exponent_place(V x) {
  return is_wide(x) ? 52 : 23;
}

/// 2^n in the range of normal numbers, where counted = n + exponent_bias + rounding_number.
template <class V>
constexpr V power_of_two(V counted) {
  return float_bits(shift_left(bits(counted), exponent_place(counted)));
}

/// x * 2^n for x from 1/2 to 2 and counted = n + 2 exponent_bias + rounding_number. Takes two
/// steps, because 2^n may be outside the range of the type where the result is not (exp near its
/// limits).
template <class V>
constexpr V scaled_by(V x, V counted) {
  const auto pattern = bits(counted);
  const int place = exponent_place(x);
  // Half of n + 2 exponent_bias is the exponent of the first step, the remainder of the second.
  const auto exponents = pattern.constant(is_wide(x) ? 0x7ff0000000000000 : 0x7f800000);
  const auto half = shift_left(pattern, place - 1) & exponents;
  return x * float_bits(half) * float_bits(shift_left(pattern, place) - half);
}

/// x * 2^n for an integer n.
template <class V>
constexpr V scaled(V x, V n) {
  return scaled_by(x, n + n.constant(rounding_number(n) + 2 * exponent_bias(n)));
}

/// The magnitude of a with the sign bit of b.
template <class V>
constexpr V with_sign(V a, V b) {
  const auto pattern = bits(b);
  const auto sign = is_wide(b) ? pattern.constant(INT64_MIN) : pattern.constant(INT32_MIN);
  return float_bits((bits(a) & ~sign) | (pattern & sign));
}

/// The upper half of the mantissa: products of two heads are exact (Dekker 1971).
template <class V>
constexpr V head(V x) {
  const auto pattern = bits(x);
  return float_bits(
      pattern & (is_wide(x) ? pattern.constant(int64_t{-0x8000000}) : pattern.constant(-0x1000)));
}

/// x * x = square + error, exactly except for underflow.
template <class V>
struct ExactSquare {
  V square, error;
};
template <class V>
constexpr ExactSquare<V> exact_square(V x) {
  const V high = head(x);
  const V low = x - high;
  const V square = x * x;
  return {square, ((high * high - square) + (high + high) * low) + low * low};
}

}  // namespace tide::math
