// Functions of two scalars with the same bits on the host and in CUDA kernels.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "runtime/ir/math/host_and_device.h"

namespace tide {

/// |x| as the unsigned type, for every integer.
template <class T>
TIDE_HOST_AND_DEVICE std::make_unsigned_t<T> magnitude_of(T x) {
  using Unsigned = std::make_unsigned_t<T>;
  if constexpr (std::is_signed_v<T>)
    if (x < 0) return static_cast<Unsigned>(0 - static_cast<Unsigned>(x));
  return static_cast<Unsigned>(x);
}

/// Wraps around if the divisor is not representable: that of the lowest integer.
template <class T>
TIDE_HOST_AND_DEVICE T greatest_divisor(T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;
  Unsigned x = magnitude_of(a), y = magnitude_of(b);
  while (y != 0) {
    const auto remainder = static_cast<Unsigned>(x % y);
    x = y;
    y = remainder;
  }
  return static_cast<T>(x);
}

/// Non-negative, unless it wraps around.
template <class T>
TIDE_HOST_AND_DEVICE T least_multiple(T a, T b) {
  const T divisor = greatest_divisor(a, b);
  if (divisor == 0) return 0;
  using Unsigned = std::make_unsigned_t<T>;
  // Through u64: narrow types would be multiplied as signed ints.
  const auto product =
      static_cast<Unsigned>(static_cast<uint64_t>(static_cast<Unsigned>(a / divisor)) *
                            static_cast<uint64_t>(static_cast<Unsigned>(b)));
  return static_cast<T>(magnitude_of(static_cast<T>(product)));
}

/// The value next to a in the direction of b: bit patterns of one sign are ordered like their
/// values. `from` and `to` are a and b in a type with comparisons.
template <class T, class Wide>
TIDE_HOST_AND_DEVICE T neighbour(T a, T b, Wide from, Wide to) {
  using Bits = std::conditional_t<sizeof(T) == 2, uint16_t,
                                  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  Bits bits, other;
  std::memcpy(&bits, &a, sizeof a);
  std::memcpy(&other, &b, sizeof b);
  constexpr auto kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  // Each case is a selection, so that loops vectorize.
  const auto from_zero = static_cast<Bits>((to < 0 ? kSign : Bits{0}) | Bits{1});
  const auto away = static_cast<Bits>(bits + 1), back = static_cast<Bits>(bits - 1);
  const Bits beside = (from < to) == (from > 0) ? away : back;
  const Bits next = from == 0 ? from_zero : beside;
  const Bits known = (to != to) | (from == to) ? other : next;
  const Bits result = from != from ? bits : known;
  std::memcpy(static_cast<void*>(&a), &result, sizeof a);
  return a;
}

}  // namespace tide
