// All numbers of the types of one byte, and the roundings between them, by the definition.
#include "runtime/ir/math/float8.h"

#include <cmath>
#include <limits>

#include "tests/support/catch.h"

namespace tide {
namespace {

template <DType type>
float value_of(int bits) {
  Float8<type> number;
  number.bits = static_cast<uint8_t>(bits);
  return number;
}

/// (-1)^s 2^(e - bias) 1.f, or 2^(1 - bias) 0.f for e = 0.
double definition(int bits, int fraction, int bias) {
  const int exponent = (bits & 0x7f) >> fraction, digits = bits & ((1 << fraction) - 1);
  const double digits_of_one = exponent ? digits + (1 << fraction) : digits;
  const double magnitude = std::ldexp(digits_of_one, std::max(exponent, 1) - bias - fraction);
  return bits & 0x80 ? -magnitude : magnitude;
}

/// All finite numbers, and what lies halfway between neighbours and next to that; `limit` is what
/// would follow the largest.
template <DType type>
void check_roundings(int fraction, int bias, int largest, float limit, int beyond) {
  const auto bits_of = [](float x) { return int{Float8<type>(x).bits}; };
  for (int bits = 0; bits <= largest; ++bits) {
    const float here = value_of<type>(bits);
    REQUIRE(here == static_cast<float>(definition(bits, fraction, bias)));
    REQUIRE(value_of<type>(bits | 0x80) == -here);
    REQUIRE(bits_of(here) == bits);
    const int above = bits == largest ? beyond : bits + 1;
    const float next = bits == largest ? limit : value_of<type>(above);
    const float halfway = here + (next - here) / 2;
    for (const int sign : {0, 0x80}) {
      const float factor = sign ? -1 : 1;
      REQUIRE(bits_of(factor * std::nextafter(halfway, 0.0f)) == (bits | sign));
      REQUIRE(bits_of(factor * std::nextafter(halfway, next)) == (above | sign));
      REQUIRE(bits_of(factor * halfway) == ((bits % 2 ? above : bits) | sign));
    }
  }
  for (const float x : {limit, 2 * limit, std::numeric_limits<float>::infinity()}) {
    REQUIRE(bits_of(x) == beyond);
    REQUIRE(bits_of(-x) == (beyond | 0x80));
  }
  REQUIRE(bits_of(std::numeric_limits<float>::quiet_NaN()) == 0x7f);
  REQUIRE(bits_of(std::numeric_limits<float>::denorm_min()) == 0);
}

}  // namespace

TEST_CASE("float8 holds its numbers and is rounded to the nearest, ties to even", "[math]") {
  check_roundings<DType::f8e4m3>(3, 7, 0x7e, 480.0f, 0x7f);
  check_roundings<DType::f8e5m2>(2, 15, 0x7b, 65536.0f, 0x7c);
  CHECK(std::isnan(value_of<DType::f8e4m3>(0x7f)));
  CHECK(std::isinf(value_of<DType::f8e5m2>(0x7c)));
  for (const int bits : {0x7d, 0x7e, 0x7f}) CHECK(std::isnan(value_of<DType::f8e5m2>(bits)));
}

}  // namespace tide
