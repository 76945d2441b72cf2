// How to write the definition of an elementwise op: its value, as a template over a value type V,
// and its gradient, as a template over tensors.
//
//   struct Silu : Differentiable<kNeedsX> {
//     static auto value(auto x) { return x * math::sigmoid(x); }
//     static auto gradient(const auto& v) {
//       const auto s = sigmoid(v.x);
//       return v.dy * (s * (v.x * (1.0 - s) + 1.0));
//     }
//   };
//
// V is reference::Value<T> (one scalar on the host) or ir::Value (LLVM vectors, for the CPU and for
// NVPTX). A V has one of the compute types bool, u8, i8, i16, i32, i64, f32, f64; the caller
// converts narrow types to f32 before and rounds once afterwards. Every operation below rounds to
// its own type and nothing is contracted, so both kinds of V compute the same bits.
//
// The operations of V (a, b, c of one type unless noted otherwise):
//   a.constant(1.5)                a constant of a's type, from a double or an int64_t
//   a.type()                       the DType (constexpr for the reference)
//   a + b  a - b  a * b  -a        integers wrap around
//   a / b                          floating only, IEEE
//   quotient(a, b) remainder(a, b) integers, truncating, as C; b must not be 0; lowest / -1 wraps
//                                  to lowest, its remainder is 0
//   fma(a, b, c)                   one rounding where the target has the instruction (AVX2 and up,
//                                  GPUs), else two; for polynomials only
//   abs(a) sqrt(a) floor(a) ceil(a) trunc(a) round_even(a)
//   minimum(a, b) maximum(a, b)    nan wins; integers too
//   a == b  a != b  a < b  ...     return a Mask (V::Mask): IEEE, so all but != are false for nan
//   m & n  m | n  !m               on masks
//   select(m, a, b)
//   a & b  a | b  a ^ b  ~a        integers and bool
//   shift_left(a, n)               n of a's type or a constant, 0 <= n < bits
//   shift_right(a, n)              likewise; arithmetic for signed types
//   convert<D>(a)  convert(a, D)   as C if the value is in range. Otherwise also defined:
//                                  from floating to integer it saturates through i64 and then
//                                  wraps, nan becomes 0; to bool: != 0
//   bits(a)  float_bits(i)         f32 <-> i32, f64 <-> i64, the same bits
//   as_unsigned_multiply_high(a, b)   i64 values holding 32-bit numbers: (a * b) >> 32, for Philox
//   reduce_large_arguments(m, a, {n, r}) f64: number and r of reduce_large_argument(a)
//                                  (large_argument.h) where m holds, else n and r
//   while_any(a, unfinished, step) applies step(a) while unfinished(a) holds for any element, but
//                                  must not change finished ones; a: one value, or an array of two
// Branches on the type are written with `if (x.type() == DType::f64)`: both sides must compile.
//
// A gradient calls functions of tensors, which are found by their arguments where it is
// instantiated (runtime/ops/elementwise). Because it consists of tensor ops, it can be
// differentiated again. It may have any shape and type that broadcast to the result's: it is then
// summed and converted to the argument's. It sees half types as f32. An op has
//   gradient(v, numbers...)           for one tensor, followed by numbers; it reads v.x, the result
//                                     v.y and the gradient of the result v.dy
//   gradient_a(v), gradient_b(v) ...  for several arguments; they read v.a to v.d, v.y and v.dy
#pragma once

namespace tide {

/// What a gradient reads besides dy and numbers. Anything else is not saved for it.
enum Needs : unsigned {
  kNeedsNothing = 0,
  kNeedsA = 1,
  kNeedsX = kNeedsA,
  kNeedsB = 2,
  kNeedsC = 4,
  kNeedsY = 16
};

/// Base of a definition with gradients, and what each of them needs.
template <unsigned... needs>
struct Differentiable {
  static constexpr unsigned kNeeds[] = {needs...};
};

}  // namespace tide
