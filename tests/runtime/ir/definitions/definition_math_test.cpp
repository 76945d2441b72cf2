// Definitions of ops on single numbers: integers at their limits, rounding of division, random
// numbers.
#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime/ir/definitions/elementwise_math.h"
#include "runtime/ir/math/reference_value.h"
#include "tests/support/catch.h"

namespace tide {
namespace {

using reference::Value;
using namespace definition;

template <class Definition, class... T>
auto apply(T... numbers) {
  return Definition::value(Value<T>(numbers)...).number();
}
template <class Definition, class... T>
bool holds(T... numbers) {
  return Definition::value(Value<T>(numbers)...).holds;
}

const int64_t kLowest = std::numeric_limits<int64_t>::min();

TEST_CASE("integer division never traps", "[definition]") {
  CHECK(apply<FloorDivide>(int64_t{7}, int64_t{0}) == 0);
  CHECK(apply<TruncDivide>(int64_t{7}, int64_t{0}) == 0);
  CHECK(apply<Remainder>(int64_t{7}, int64_t{0}) == 7);
  CHECK(apply<Fmod>(int64_t{-7}, int64_t{0}) == -7);
  CHECK(apply<FloorDivide>(kLowest, int64_t{-1}) == kLowest);
  CHECK(apply<Remainder>(kLowest, int64_t{-1}) == 0);
  CHECK(apply<FloorDivide>(uint8_t{200}, uint8_t{7}) == 28);
}

TEST_CASE("floor division and remainder follow the divisor's sign", "[definition]") {
  for (const int a : {-7, -6, 0, 6, 7})
    for (const int b : {-3, 3}) {
      CAPTURE(a, b);
      const double floored = std::floor(double(a) / b);
      CHECK(apply<FloorDivide>(int32_t{a}, int32_t{b}) == floored);
      CHECK(apply<FloorDivide>(double(a), double(b)) == floored);
      CHECK(apply<FloorDivide>(float(a), float(b)) == floored);
      CHECK(apply<Remainder>(int32_t{a}, int32_t{b}) == a - b * floored);
      CHECK(apply<Remainder>(double(a), double(b)) == a - b * floored);
      CHECK(apply<Fmod>(int32_t{a}, int32_t{b}) == a % b);
    }
  // 0.1 is a little more than a tenth.
  CHECK(apply<FloorDivide>(1.0, 0.1) == 9);
  CHECK(apply<FloorDivide>(1.0f, 0.1f) == 9);
  CHECK(apply<FloorDivide>(-1.0, std::numeric_limits<double>::infinity()) == -1);
  CHECK(std::isinf(apply<FloorDivide>(1.0, 0.0)));
}

TEST_CASE("shifts by too much leave zeros or the sign", "[definition]") {
  CHECK(apply<ShiftLeft>(int32_t{1}, int32_t{31}) == std::numeric_limits<int32_t>::min());
  CHECK(apply<ShiftLeft>(int32_t{1}, int32_t{32}) == 0);
  CHECK(apply<ShiftLeft>(int8_t{1}, int8_t{-1}) == 0);
  CHECK(apply<ShiftRight>(int16_t{-5}, int16_t{1}) == -3);
  CHECK(apply<ShiftRight>(int16_t{-5}, int16_t{99}) == -1);
  CHECK(apply<ShiftRight>(uint8_t{200}, uint8_t{3}) == 25);
}

TEST_CASE("bool adds as or, multiplies as and", "[definition]") {
  CHECK(apply<Add>(true, true));
  CHECK(!apply<Mul>(true, false));
  CHECK(apply<Maximum>(true, false));
  CHECK(!apply<Minimum>(true, false));
}

TEST_CASE("a nan wins in maximum, loses in fmax, stays in activations", "[definition]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(apply<Maximum>(nan, 1.0)));
  CHECK(std::isnan(apply<Minimum>(1.0, nan)));
  CHECK(apply<Fmax>(nan, 1.0) == 1);
  CHECK(apply<Fmin>(1.0, nan) == 1);
  CHECK(std::isnan(apply<Relu>(nan)));
  CHECK(std::isnan(apply<Hardtanh>(nan, -1.0, 1.0)));
  CHECK(apply<Sign>(nan) == 0);
  CHECK(holds<IsNan>(nan));
  CHECK(!holds<IsFinite>(nan));
  CHECK(holds<LogicalAnd>(nan, 1.0));
}

TEST_CASE("random numbers are Philox4x32-10", "[definition]") {
  // The known answers of the paper's library, counter and key all zeros and all ones.
  const auto zeros = philox(Value<int64_t>(0), Value<int64_t>(0), Value<int64_t>(0));
  CHECK(zeros[0].number() == 0x6627e8d5);
  CHECK(zeros[1].number() == 0xe169c58d);
  CHECK(zeros[2].number() == 0xbc57ac4c);
  CHECK(zeros[3].number() == 0x9b00dbd8);
}

TEST_CASE("random numbers fill their range evenly", "[definition]") {
  double sum = 0, normal_sum = 0, normal_squares = 0;
  int64_t counts[6] = {};
  const int n = 20000;
  for (int64_t i = 0; i < n; ++i) {
    const double u = apply<RandomUniformF64>(i, int64_t{42}, int64_t{7});
    REQUIRE((u >= 0 && u < 1));
    const float z = apply<RandomNormal>(i, int64_t{42}, int64_t{7});
    sum += u;
    normal_sum += z;
    normal_squares += z * z;
    const int64_t die = apply<RandomInteger>(i, int64_t{1}, int64_t{0}, int64_t{6});
    REQUIRE((die >= 0 && die < 6));
    ++counts[die];
  }
  CHECK(sum / n == Approx(0.5).margin(0.01));
  CHECK(normal_sum / n == Approx(0).margin(0.03));
  CHECK(normal_squares / n == Approx(1).margin(0.04));
  for (const int64_t count : counts) CHECK(count == Approx(n / 6.0).epsilon(0.06));
  const int64_t huge =
      apply<RandomInteger>(int64_t{5}, int64_t{1}, int64_t{0}, std::numeric_limits<int64_t>::max());
  CHECK(huge >= 0);
}

}  // namespace
}  // namespace tide
