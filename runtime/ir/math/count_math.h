// Random counts of the distributions of `random_count`, with the same bits on the host and in CUDA
// kernels.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime/ir/count_distribution.h"
#include "runtime/ir/math/number_math.h"

namespace tide {

/// Uniform values by Philox4x32-10 (see generation_math.h) from a 64-bit key.
class RandomStream {
 public:
  TIDE_HOST_AND_DEVICE explicit RandomStream(int64_t key) : key_(static_cast<uint64_t>(key)) {}

  /// In the open interval (0, 1), with 52 bits.
  TIDE_HOST_AND_DEVICE double next() {
    if (left_ == 0) refill();
    --left_;
    const uint64_t high = words_[2 * left_], low = words_[2 * left_ + 1];
    return (static_cast<double>(high << 20 | low >> 12) + 0.5) * 0x1p-52;
  }

 private:
  TIDE_HOST_AND_DEVICE void refill() {
    uint32_t c[4] = {block_++, 0, 0, 0};
    auto k0 = static_cast<uint32_t>(key_), k1 = static_cast<uint32_t>(key_ >> 32);
    for (int round = 0; round < 10; ++round) {
      const uint64_t first = uint64_t{0xd2511f53} * c[0], second = uint64_t{0xcd9e8d57} * c[2];
      const auto high0 = static_cast<uint32_t>(first >> 32);
      const auto high1 = static_cast<uint32_t>(second >> 32);
      c[0] = high1 ^ c[1] ^ k0;
      c[1] = static_cast<uint32_t>(second);
      c[2] = high0 ^ c[3] ^ k1;
      c[3] = static_cast<uint32_t>(first);
      k0 += 0x9e3779b9;
      k1 += 0xbb67ae85;
    }
    for (int i = 0; i < 4; ++i) words_[i] = c[i];
    left_ = 2;
  }

  uint64_t key_;
  uint32_t block_ = 0;
  int left_ = 0;
  uint32_t words_[4] = {};
};

/// From this mean on, counts are drawn by rejection, in time independent of the count.
constexpr double kMany = 10;

/// Number of waiting times within one unit: the product of uniform values falls below exp(-rate).
TIDE_HOST_AND_DEVICE inline double small_poisson(double rate, RandomStream& stream) {
  const double least = number::exp(-rate);
  double count = 0;
  for (double product = stream.next(); product > least; product *= stream.next()) ++count;
  return count;
}

/// Hoermann, The transformed rejection method for generating Poisson random variables, 1993 (PTRS).
TIDE_HOST_AND_DEVICE inline double large_poisson(double rate, RandomStream& stream) {
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = stream.next() - 0.5, v = stream.next(), from_end = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / from_end + b) * u + rate + 0.43);
    if (from_end >= 0.07 && v <= squeeze) return k;
    if (k < 0 || (from_end < 0.013 && v > from_end)) continue;
    const double height = number::log(v * inverse_alpha / (a / (from_end * from_end) + b));
    if (height <= k * number::log(rate) - rate - number::lgamma(k + 1)) return k;
  }
}

TIDE_HOST_AND_DEVICE inline double draw_poisson(double rate, RandomStream& stream) {
  if (!(rate >= 0 && rate < std::numeric_limits<double>::infinity()))
    return std::numeric_limits<double>::quiet_NaN();
  return rate < kMany ? small_poisson(rate, stream) : large_poisson(rate, stream);
}

/// Number of successes within `tries`, from the numbers of tries until each success.
TIDE_HOST_AND_DEVICE inline double small_binomial(double tries, double p, RandomStream& stream) {
  if (p == 0) return 0;
  const double scale = 1 / number::log1p(-p);
  double count = 0;
  for (double used = std::ceil(number::log(stream.next()) * scale); used <= tries;
       used += std::ceil(number::log(stream.next()) * scale))
    ++count;
  return count;
}

/// log(k!) minus Stirling's formula.
TIDE_HOST_AND_DEVICE inline double stirling_rest(double k) {
  if (k < 10) {
    constexpr double kHalfLogTwoPi = 0.91893853320467274178;
    return number::lgamma(k + 1) - (k + 0.5) * number::log(k + 1) + (k + 1) - kHalfLogTwoPi;
  }
  const double inverse = 1 / (k + 1), square = inverse * inverse;
  return (1.0 / 12 - (1.0 / 360 - square / 1260) * square) * inverse;
}

/// Hoermann, The generation of binomial random variates, 1993 (BTRS), for p up to 1/2.
TIDE_HOST_AND_DEVICE inline double large_binomial(double tries, double p, RandomStream& stream) {
  const double deviation = std::sqrt(tries * p * (1 - p)), odds = p / (1 - p);
  const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double center = tries * p + 0.5, squeeze = 0.92 - 4.2 / b;
  const double alpha = (2.83 + 5.1 / b) * deviation, mode = std::floor((tries + 1) * p);
  for (;;) {
    const double u = stream.next() - 0.5, v = stream.next(), from_end = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / from_end + b) * u + center);
    if (from_end >= 0.07 && v <= squeeze) return k;
    if (!(k >= 0 && k <= tries)) continue;
    const double height = number::log(v * alpha / (a / (from_end * from_end) + b));
    const double limit = (mode + 0.5) * number::log((mode + 1) / (odds * (tries - mode + 1))) +
                         (tries + 1) * number::log((tries - mode + 1) / (tries - k + 1)) +
                         (k + 0.5) * number::log(odds * (tries - k + 1) / (k + 1)) +
                         stirling_rest(mode) + stirling_rest(tries - mode) - stirling_rest(k) -
                         stirling_rest(tries - k);
    if (height <= limit) return k;
  }
}

TIDE_HOST_AND_DEVICE inline double draw_binomial(double count, double p, RandomStream& stream) {
  const double tries = std::floor(count);
  if (!(tries >= 0 && tries < std::numeric_limits<double>::infinity() && p >= 0 && p <= 1))
    return std::numeric_limits<double>::quiet_NaN();
  const double rarer = p < 1 - p ? p : 1 - p;
  const double drawn = tries * rarer < kMany ? small_binomial(tries, rarer, stream)
                                             : large_binomial(tries, rarer, stream);
  return p == rarer ? drawn : tries - drawn;
}

TIDE_HOST_AND_DEVICE inline double draw_count(CountDistribution which, double a, double b,
                                              RandomStream stream) {
  return which == CountDistribution::poisson ? draw_poisson(a, stream)
                                             : draw_binomial(a, b, stream);
}

}  // namespace tide
