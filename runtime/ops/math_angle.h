// An angle's rest by quarter turns, for arguments of any size.
#pragma once

#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "runtime/ops/math_basic.h"

namespace tide::math {

/// x = quadrant * pi / 2 + r (mod 2 pi), |r| <= pi / 4, quadrant 0, 1, 2 or 3.
template <class V>
struct Quadrant {
  V number, r;
};

/// pi / 2 in three parts of 33, 33 and 53 bits (fdlibm's e_rem_pio2.c), k in two of 20: all
/// products but the last are exact for |x| < 1e12, where r is right to 2^-53.
template <class W>
Quadrant<W> reduce_ordinary_angle(W x) {
  const W k = nearest(x * x.constant(0.6366197723675814));
  const W step = x.constant(0x1p20);
  const W upper = nearest(k * x.constant(0x1p-20)) * step;
  const W lower = k - upper;
  const W p1 = x.constant(-1.57079632673412561417e+00);
  const W p2 = x.constant(-6.07710050630396597660e-11);
  const W p3 = x.constant(-2.02226624879595063154e-21);
  W r = fma(lower, p1, fma(upper, p1, x));
  r = fma(lower, p2, fma(upper, p2, r));
  r = fma(k, p3, r);
  return {k - x.constant(4.0) * floor(k * x.constant(0.25)), r};
}

/// 2 / pi = 0.a2f9836e..., 32 bits a word, behind two words for what stands before the point.
constexpr int64_t kTwoOverPi[] = {
    0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046,
};

/// The words from `first` (0 to 31) on that an angle is multiplied by: more decide on multiples of
/// 2 pi alone, or on less than the last bit.
constexpr int kAngleWords = 8;
template <class I>
std::array<I, kAngleWords> words_of_two_over_pi(I first) {
  // The upper bits of `first` choose among ever nearer neighbours.
  std::vector<I> words;
  for (const int64_t word : kTwoOverPi) words.push_back(first.constant(word));
  for (int step = 16; step > 0; step /= 2) {
    const auto beyond = (first & first.constant(step)) != first.constant(0);
    const int left = kAngleWords + step - 1;
    for (int i = 0; i < left; ++i) words[i] = select(beyond, words[i + step], words[i]);
  }
  return [&]<size_t... K>(std::index_sequence<K...>) {
    return std::array<I, kAngleWords>{words[K]...};
  }
  (std::make_index_sequence<kAngleWords>());
}

/// Any finite |x| >= 2^20, exactly but for the last rounding (Payne and Hanek 1983): x is a whole
/// number m of 53 bits times 2^s; of m times the bits of 2 / pi, those before the point beyond 4
/// are left out, and those far behind it.
template <class W>
Quadrant<W> reduce_huge_angle(W x) {
  const auto pattern = bits(abs(x));
  const auto whole = [&](int64_t number) { return pattern.constant(number); };
  const auto low_word = whole(0xffffffff);
  const auto above = [&](auto number) { return shift_right(number, 32) & low_word; };
  const auto place = shift_right(pattern, 52) - whole(1043);  // s + 32
  const auto words = words_of_two_over_pi(shift_right(place, 5));

  // m, shifted to the words' borders, in three words.
  const auto shift = place & whole(31);
  const auto m = (pattern & whole(0xfffffffffffff)) | whole(0x10000000000000);
  const auto lowest = shift_left(m & low_word, shift);
  const auto rest = shift_left(above(m), shift) + above(lowest);
  const std::array factor = {lowest & low_word, rest & low_word, above(rest)};

  // Six words of the product: one before the point, four behind it, and one for what it carries.
  const auto zero = whole(0);
  std::array sums = {zero, zero, zero, zero, zero, zero};
  for (size_t d = 0; d < sums.size(); ++d)
    for (size_t i = 0; i < factor.size(); ++i) {
      const auto product = factor[i] * words[d + i];
      sums[d] = sums[d] + (product & low_word);
      if (d > 0) sums[d - 1] = sums[d - 1] + above(product);
    }
  for (size_t d = sums.size() - 1; d > 0; --d) {
    sums[d - 1] = sums[d - 1] + above(sums[d]);
    sums[d] = sums[d] & low_word;
  }

  // From half a quarter turn on, the next one is nearer and the rest is negative.
  const auto half = whole(0x80000000);
  const auto next = sums[1] >= half;
  const auto first = select(next, sums[1] - whole(0x100000000), sums[1]);
  const auto number = sums[0] + select(next, whole(1), zero);
  const auto weighted = [&](auto word, double weight) {
    return convert<DType::f64>(word) * x.constant(weight);
  };
  const W upper = weighted(first, 0x1p-32) + weighted(sums[2], 0x1p-64);
  const W lower = weighted(sums[3], 0x1p-96) + weighted(sums[4], 0x1p-128);
  const W r = (upper + lower) * x.constant(kPi / 2);
  const auto minus = x < x.constant(0.0);
  const auto turns = select(minus, zero - number, number) & whole(3);
  return {convert<DType::f64>(turns), select(minus, -r, r)};
}

/// The angle is reduced in f64 for f32 too: its three parts of pi / 2 would need six in f32.
template <class V>
Quadrant<V> quadrant_of(V x) {
  const auto narrow = [&](const auto& reduced, V like) {
    return std::array<V, 2>{converted(reduced.number, like), converted(reduced.r, like)};
  };
  const V a = abs(x);
  const V infinity = x.constant(std::numeric_limits<double>::infinity());
  const auto huge = (a > x.constant(1e12)) & (a < infinity);
  const auto [number, r] =
      where_rare(huge, x, narrow(reduce_ordinary_angle(widened(x)), x),
                 [&](V one) { return narrow(reduce_huge_angle(widened(one)), one); });
  return {number, r};
}

}  // namespace tide::math
