// Conversions between types of PTX.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/cuda/fake/ptx/arithmetic.h"
#include "tests/cuda/fake/ptx/raw_values.h"

namespace fake {
namespace {

/// A conversion's rounding to integers and saturation, encoded as operand d.
enum : uint64_t { kAsIs, kToZero, kDown, kUp, kNearest, kRounding = 7, kSaturates = 8 };

uint64_t conversion_mode(const Instruction& at) {
  const uint64_t rounding = at.has("rzi")   ? kToZero
                            : at.has("rmi") ? kDown
                            : at.has("rpi") ? kUp
                            : at.has("rni") ? kNearest
                                            : kAsIs;
  return rounding | (at.has("sat") ? uint64_t{kSaturates} : 0);
}

template <class T>
T rounded(T x, uint64_t mode) {
  switch (mode & kRounding) {
    case kToZero:
      return std::trunc(x);
    case kDown:
      return std::floor(x);
    case kUp:
      return std::ceil(x);
    case kNearest:
      return std::nearbyint(x);
    default:
      return x;
  }
}

/// A small signed result is sign-extended to the register.
template <class T>
uint64_t extended(T x) {
  return sizeof(T) < 4 ? static_cast<uint64_t>(x) : to_raw(x);
}

/// Saturates. The result for nan depends on the types.
template <class T, bool kFromDouble>
T to_integer(double x, uint64_t mode) {
  if (std::isnan(x)) {
    if (!kFromDouble && sizeof(T) < 8) return 0;
    return static_cast<T>(uint64_t{1} << (8 * sizeof(T) - 1));
  }
  x = rounded(x, mode);
  if (x <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (x >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
  return static_cast<T>(x);
}

/// The value to convert: `sat` clamps it to [0, 1].
template <class From>
double saturated(uint64_t raw, uint64_t mode) {
  const double x = value_of<From>(raw);
  return !(mode & kSaturates) ? x : std::isnan(x) ? 0 : std::clamp(x, 0.0, 1.0);
}

template <class From>
Compute from_floating(const Instruction& at) {
  constexpr bool kFromDouble = std::is_same_v<From, double>;
  switch (at.type) {
    case Type::f64:
      return [](uint64_t a, uint64_t, uint64_t, uint64_t mode) {
        return to_raw(rounded(saturated<From>(a, mode), mode));
      };
    case Type::f32:
      return [](uint64_t a, uint64_t, uint64_t, uint64_t mode) {
        return to_raw(rounded(static_cast<float>(saturated<From>(a, mode)), mode));
      };
    case Type::f16:
      return [](uint64_t a, uint64_t, uint64_t, uint64_t mode) -> uint64_t {
        const double x = saturated<From>(a, mode);
        return kFromDouble ? std::bit_cast<uint16_t>(static_cast<_Float16>(x))
                           : float_to_half(static_cast<float>(x));
      };
    case Type::bf16:
      return [](uint64_t a, uint64_t, uint64_t, uint64_t mode) -> uint64_t {
        return float_to_brain(static_cast<float>(saturated<From>(a, mode)));
      };
    default:
      return visit_integer(at.type, at, [&](auto to) -> Compute {
        using To = decltype(to);
        return [](uint64_t a, uint64_t, uint64_t, uint64_t mode) {
          return extended(to_integer<To, kFromDouble>(saturated<From>(a, mode), mode));
        };
      });
  }
}

template <class From>
Compute from_integer(const Instruction& at) {
  if (at.type == Type::f16)
    return [](uint64_t a, uint64_t, uint64_t, uint64_t) -> uint64_t {
      return float_to_half(static_cast<float>(from_raw<From>(a)));
    };
  return visit(at.type, at, [&](auto to) -> Compute {
    using To = decltype(to);
    if constexpr (std::is_integral_v<To>)
      return [](uint64_t a, uint64_t, uint64_t, uint64_t mode) {
        const From x = from_raw<From>(a);
        if (mode & kSaturates) {
          if (std::cmp_less(x, std::numeric_limits<To>::min()))
            return extended(std::numeric_limits<To>::min());
          if (std::cmp_greater(x, std::numeric_limits<To>::max()))
            return extended(std::numeric_limits<To>::max());
        }
        return extended(static_cast<To>(x));
      };
    else
      return [](uint64_t a, uint64_t, uint64_t, uint64_t) {
        return to_raw(static_cast<To>(from_raw<From>(a)));
      };
  });
}

}  // namespace

uint64_t constant_operand(const Instruction& at) {
  return at.op == Op::cvt ? conversion_mode(at) : 0;
}

Compute conversion_of(const Instruction& at) {
  switch (at.source) {
    case Type::f16:
      return from_floating<Half>(at);
    case Type::bf16:
      return from_floating<Brain>(at);
    case Type::f32:
      return from_floating<float>(at);
    case Type::f64:
      return from_floating<double>(at);
    default:
      return visit_integer(at.source, at,
                           [&](auto from) { return from_integer<decltype(from)>(at); });
  }
}

}  // namespace fake
