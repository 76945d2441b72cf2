// Definitions of ops that create values from scalars and an index: constants, iotas, random
// numbers. Also conversion, whose arithmetic is done by the caller.
#pragma once

#include <array>

#include "runtime/ir/definitions/op_definition.h"
#include "runtime/ir/math/math.h"

namespace tide::definition {

struct Convert : Differentiable<kNeedsNothing> {
  static auto value(auto x) { return x; }
  static auto gradient(const auto& v) { return v.dy; }
};

struct Copy {
  static auto value(auto x) { return x; }
};

/// The number itself, for any index.
struct Fill {
  static auto value(auto, auto number) { return number; }
};

/// start + index * step; the index is i64.
struct Iota {
  static auto value(auto index, auto start, auto step) {
    return start + math::converted(index, start) * step;
  }
};

/// Four 32-bit random numbers, each in an i64: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel
/// Random Numbers: As Easy as 1, 2, 3, 2011) of the 64-bit counter index + offset with a 64-bit
/// key.
template <class V>
std::array<V, 4> philox(V index, V key, V offset) {
  const V low = index.constant(int64_t{0xffffffff});
  const V multiplier0 = index.constant(int64_t{0xd2511f53});
  const V multiplier1 = index.constant(int64_t{0xcd9e8d57});
  const V counter = index + offset;
  V c0 = counter & low;
  V c1 = shift_right(counter, 32) & low;
  V c2 = index.constant(int64_t{0});
  V c3 = c2;
  V k0 = key & low;
  V k1 = shift_right(key, 32) & low;
  for (int round = 0; round < 10; ++round) {
    const V high0 = as_unsigned_multiply_high(multiplier0, c0);
    const V high1 = as_unsigned_multiply_high(multiplier1, c2);
    const V low0 = (multiplier0 * c0) & low;
    const V low1 = (multiplier1 * c2) & low;
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + index.constant(int64_t{0x9e3779b9})) & low;
    k1 = (k1 + index.constant(int64_t{0xbb67ae85})) & low;
  }
  return {c0, c1, c2, c3};
}

/// The upper 24 bits of a word. Via i32, for which every CPU has a vector conversion.
auto integer_f32(auto word) {
  return convert<DType::f32>(convert<DType::i32>(shift_right(word, 8)));
}

/// The upper 53 bits of two words.
auto integer_f64(auto high, auto low) {
  const auto a = convert<DType::f64>(convert<DType::i32>(shift_right(high, 5)));
  const auto b = convert<DType::f64>(convert<DType::i32>(shift_right(low, 6)));
  return a * a.constant(0x1p26) + b;
}

/// Uniform in [0, 1) with 24 bits.
struct RandomUniform {
  static auto value(auto index, auto key, auto offset) {
    const auto u = integer_f32(philox(index, key, offset)[0]);
    return u * u.constant(0x1p-24);
  }
};

/// Uniform in [0, 1) with 53 bits.
struct RandomUniformF64 {
  static auto value(auto index, auto key, auto offset) {
    const auto words = philox(index, key, offset);
    const auto u = integer_f64(words[0], words[1]);
    return u * u.constant(0x1p-53);
  }
};

/// A V that never contracts a product and a sum, so that every target computes the same bits.
template <class V>
class Unfused {
 public:
  using Mask = typename V::Mask;
  Unfused(V v) : v_(v) {}  // NOLINT: implicit
  V get() const { return v_; }
  constexpr auto type() const { return v_.type(); }
  Unfused constant(double number) const { return v_.constant(number); }

  friend Unfused operator+(Unfused a, Unfused b) { return a.v_ + b.v_; }
  friend Unfused operator-(Unfused a, Unfused b) { return a.v_ - b.v_; }
  friend Unfused operator*(Unfused a, Unfused b) { return a.v_ * b.v_; }
  friend Unfused operator/(Unfused a, Unfused b) { return a.v_ / b.v_; }
  friend Unfused operator-(Unfused a) { return -a.v_; }
  friend Unfused fma(Unfused a, Unfused b, Unfused c) { return a.v_ * b.v_ + c.v_; }
  friend Unfused sqrt(Unfused a) { return sqrt(a.v_); }
  friend Unfused floor(Unfused a) { return floor(a.v_); }
  friend Unfused round_even(Unfused a) { return round_even(a.v_); }
  friend Mask operator==(Unfused a, Unfused b) { return a.v_ == b.v_; }
  friend Mask operator<(Unfused a, Unfused b) { return a.v_ < b.v_; }
  friend Mask operator>=(Unfused a, Unfused b) { return a.v_ >= b.v_; }
  friend Unfused select(Mask m, Unfused a, Unfused b) { return select(m, a.v_, b.v_); }
  friend auto bits(Unfused a) { return bits(a.v_); }

 private:
  V v_;
};

/// sqrt(-2 log(u)) cos(2 pi v) of two uniform values, u in (0, 1] (Box and Muller 1958).
auto box_muller(auto u, auto v) {
  const auto radius_square = math::log(Unfused(u)) * Unfused(u.constant(-2.0));
  return (sqrt(radius_square) * math::sine_cosine_pi(Unfused(v + v)).cosine).get();
}

/// Normal with mean 0 and variance 1.
struct RandomNormal {
  static auto value(auto index, auto key, auto offset) {
    const auto words = philox(index, key, offset);
    const auto u = integer_f32(words[0]);
    const auto unit = u.constant(0x1p-24);
    return box_muller((u + u.constant(1.0)) * unit, integer_f32(words[1]) * unit);
  }
};
struct RandomNormalF64 {
  static auto value(auto index, auto key, auto offset) {
    const auto words = philox(index, key, offset);
    const auto u = integer_f64(words[0], words[1]);
    const auto unit = u.constant(0x1p-53);
    const auto v = integer_f64(words[2], words[3]);
    return box_muller((u + u.constant(1.0)) * unit, v * unit);
  }
};

/// A random integer in [0, range): the upper half of the product of 64 random bits and the range,
/// assembled from 32-bit parts.
struct RandomInteger {
  static auto value(auto index, auto key, auto offset, auto range) {
    const auto low = index.constant(int64_t{0xffffffff});
    const auto words = philox(index, key, offset);
    const auto w0 = words[0];
    const auto w1 = words[1];
    const auto r0 = range & low;
    const auto r1 = shift_right(range, 32) & low;
    const auto middle = ((w1 * r0) & low) + ((w0 * r1) & low) + as_unsigned_multiply_high(w0, r0);
    return w1 * r1 + as_unsigned_multiply_high(w1, r0) + as_unsigned_multiply_high(w0, r1) +
           shift_right(middle, 32);
  }
};

}  // namespace tide::definition
