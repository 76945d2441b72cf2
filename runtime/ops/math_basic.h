// What the functions of math.h share: polynomials, exponents as bits, exact products.
#pragma once

#include <cmath>
#include <initializer_list>
#include <iterator>
#include <type_traits>

#include "runtime/core/dtype.h"

namespace tide::math {

constexpr double kLn2 = 0.6931471805599453;
constexpr double kPi = 3.141592653589793;

/// Whether x is f64; otherwise the functions here take it for f32.
template <class V>
constexpr bool is_wide(V x) {
  return x.type() == DType::f64;
}

/// A V of an integer type that is fixed at compile time, for which floating code does not compile.
template <class V>
concept NeverFloating = requires {
  requires !is_floating(V::type());
};

/// floating(a, b) for floating types, else whole(a, b). Both are generic, so that only what can be
/// called is compiled.
template <class V, class Floating, class Whole>
V by_kind(V a, V b, Floating floating, Whole whole) {
  if constexpr (!NeverFloating<V>)
    if (is_floating(a.type())) return floating(a, b);
  return whole(a, b);
}

/// `a` in the type of `like`. Also for a V whose type is fixed at compile time.
template <class V, class A>
V converted(A a, V like) {
  if constexpr (std::is_same_v<A, V>)
    return convert(a, like.type());
  else
    return convert<V::type()>(a);
}

/// f64 of x, for functions that are computed wider than their result.
template <class V>
auto widened(V x) {
  return convert<DType::f64>(x);
}

/// c0 + c1 x + c2 x^2 + ..., by Horner's rule: kernels keep several vectors in flight, so the long
/// dependent chain costs nothing.
template <class V>
V polynomial(V x, std::initializer_list<double> coefficients) {
  auto c = std::rbegin(coefficients);
  V sum = x.constant(*c++);
  for (; c != std::rend(coefficients); ++c) sum = fma(sum, x, x.constant(*c));
  return sum;
}

/// 1.5 * 2^p for p mantissa bits: adding it rounds to a whole number, which then stands in the low
/// bits of the pattern (the addition is exact for |x| < 2^(p - 2)).
template <class V>
double rounding_number(V x) {
  return is_wide(x) ? 6755399441055744.0 : 12582912.0;
}

/// The nearest whole number, ties to even, for |x| < 2^22 (f32) or 2^51 (f64).
template <class V>
V nearest(V x) {
  const V magic = x.constant(rounding_number(x));
  return (x + magic) - magic;
}

/// 2^n for whole n in the range of normal numbers.
template <class V>
V power_of_two(V n) {
  const bool wide = is_wide(n);
  return float_bits(
      shift_left(bits(n + n.constant(rounding_number(n) + (wide ? 1023 : 127))), wide ? 52 : 23));
}

/// x * 2^n for whole n, as if n were the exponent of a wider type: two steps, because 2^n itself
/// may lie outside the type where the result does not (exp near its limits).
template <class V>
V scaled(V x, V n) {
  const V half = nearest(n * n.constant(0.5));
  return x * power_of_two(half) * power_of_two(n - half);
}

/// The magnitude of a with the sign bit of b.
template <class V>
V with_sign(V a, V b) {
  const auto pattern = bits(b);
  const auto sign = is_wide(b) ? pattern.constant(INT64_MIN) : pattern.constant(INT32_MIN);
  return float_bits((bits(a) & ~sign) | (pattern & sign));
}

/// The upper half of a mantissa: products of two heads are exact (Dekker 1971).
template <class V>
V head(V x) {
  const auto pattern = bits(x);
  return float_bits(
      pattern & (is_wide(x) ? pattern.constant(int64_t{-0x8000000}) : pattern.constant(-0x1000)));
}

/// x * x = square + error, exactly but for underflow.
template <class V>
struct ExactSquare {
  V square, error;
};
template <class V>
ExactSquare<V> exact_square(V x) {
  const V high = head(x);
  const V low = x - high;
  const V square = x * x;
  return {square, ((high * high - square) + (high + high) * low) + low * low};
}

}  // namespace tide::math
