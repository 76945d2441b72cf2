// Reduction of angles so large that their quadrant depends on many digits of 2 / pi.
//
// x = m 2^e with an integer m. Only those bits of 2 / pi matter that m 2^e shifts below the 4
// quadrants of a turn: 192 of them leave more than 64 correct ones after cancellation, for the
// angle nearest to a multiple of pi / 2 (M. Payne, R. Hanek, "Radian reduction for trigonometric
// functions", 1983). codegen/llvm/value_angle.cpp generates code for the same steps.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tide {

/// 64 zeros, then the fraction bits of 2 / pi.
constexpr std::array<uint64_t, 20> kTwoOverPi = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};

/// pi / 2 in two parts.
constexpr double kHalfPiHigh = 1.5707963267948966, kHalfPiLow = 6.123233995736766e-17;

/// Smaller angles are reduced without these digits.
constexpr double kLargeArgument = 1e12;

/// The angle is (number + 4 n) pi / 2 + r, with number 0, 1, 2 or 3 and |r| <= pi / 4.
struct ReducedArgument {
  double number, r;
};

/// For |x| > kLargeArgument; infinity gives nan.
inline ReducedArgument reduce_large_argument(double x) {
  __extension__ using Double = unsigned __int128;
  const auto pattern = std::bit_cast<uint64_t>(x);
  const uint64_t exponent = pattern >> 52 & 0x7ff;
  if (exponent == 0x7ff) return {0, std::numeric_limits<double>::quiet_NaN()};
  const uint64_t m = (pattern & 0xfffffffffffff) | uint64_t{1} << 52;
  // The first e - 2 bits of 2 / pi only contribute full turns, with e = exponent - 1075.
  const uint64_t first = exponent - (1075 + 2 - 64), word = first / 64, shift = first % 64;
  const auto digits = [&](uint64_t i) {
    const uint64_t high = kTwoOverPi[word + i], low = kTwoOverPi[word + i + 1];
    return shift ? high << shift | low >> (64 - shift) : high;
  };
  // Three words of m times them: quadrants (2 bits), then their fraction.
  const Double third = Double{m} * digits(2);
  const Double second = Double{m} * digits(1) + static_cast<uint64_t>(third >> 64);
  const uint64_t p0 = m * digits(0) + static_cast<uint64_t>(second >> 64);
  const auto p1 = static_cast<uint64_t>(second), p2 = static_cast<uint64_t>(third);
  uint64_t f0 = p0 << 2 | p1 >> 62, f1 = p1 << 2 | p2 >> 62;
  const uint64_t beyond = f0 >> 63;  // nearer to the next quadrant
  f0 ^= -beyond, f1 ^= -beyond;
  const auto zeros = static_cast<uint64_t>(std::countl_zero(f0 | 1));
  const Double fraction = (Double{f0} << 64 | f1) << zeros;
  const auto high = static_cast<double>(static_cast<int64_t>(fraction >> 75)) * 0x1p-53;
  const auto low =
      static_cast<double>(static_cast<int64_t>(static_cast<uint64_t>(fraction >> 11) >> 11)) *
      0x1p-106;
  const double scale = std::bit_cast<double>((1023 - zeros) << 52);
  const double product = high * kHalfPiHigh;
  const double product_low =
      std::fma(high, kHalfPiHigh, -product) + std::fma(high, kHalfPiLow, low * kHalfPiHigh);
  const double r = (product + product_low) * scale;
  const uint64_t sign = pattern >> 63, number = (p0 >> 62) + beyond;
  return {static_cast<double>(static_cast<int64_t>((sign ? 0 - number : number) & 3)),
          (beyond ^ sign) ? -r : r};
}

/// Reduces those of `count` angles that are large; number and r of the others are unchanged.
inline void reduce_large_arguments(const double* x, double* number, double* r, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    if (!(std::fabs(x[i]) > kLargeArgument)) continue;
    const ReducedArgument placed = reduce_large_argument(x[i]);
    number[i] = placed.number;
    r[i] = placed.r;
  }
}
/// The name by which kernels call it.
constexpr const char* kReduceLargeArguments = "tide_reduce_large_arguments";

}  // namespace tide
