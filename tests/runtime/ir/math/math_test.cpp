// Accuracy of the functions of math.h against the C library in long double.
#include "runtime/ir/math/math.h"

#include <cmath>
#include <limits>
#include <vector>

#include "runtime/ir/math/number_math.h"
#include "runtime/ir/math/reference_value.h"
#include "tests/support/catch.h"

namespace tide {
namespace {

using Reference = long double (*)(long double);

struct Function {
  const char* name;
  float (*f32)(float);
  double (*f64)(double);
  Reference reference;
  double low, high;  ///< arguments where relative accuracy is promised
};

#define FUNCTION(name, expected, low, high)                                   \
  Function {                                                                  \
#name, [](float x) { return math::name(reference::Value(x)).number(); },    \
        [](double x) { return math::name(reference::Value(x)).number(); },    \
        [](long double x) -> long double { return expected; }, low, high \
  }

const double kInfinity = std::numeric_limits<double>::infinity();

/// By halving, of erf or erfc, whichever has more digits there.
long double erfinv_reference(long double y) {
  const long double a = std::fabs(y);
  if (!(a < 1))
    return a == 1 ? std::copysign(std::numeric_limits<long double>::infinity(), y)
                  : std::numeric_limits<long double>::quiet_NaN();
  constexpr long double kHalfRootPi = 0.886226925452758013649L;
  constexpr long double kTwelfthPi = 0.261799387799149436539L;
  if (a < 1e-4L) return kHalfRootPi * y * (1 + kTwelfthPi * y * y);  // to 1e-17
  long double low = 0, high = 8;
  for (int i = 0; i < 75; ++i) {
    const long double middle = (low + high) / 2;
    const bool below = a < 0.5L ? std::erf(middle) < a : std::erfc(middle) > 1 - a;
    (below ? low : high) = middle;
  }
  return std::copysign(low, y);
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      FUNCTION(exp, std::exp(x), -800, 800),
      FUNCTION(exp2, std::exp2(x), -1100, 1100),
      FUNCTION(expm1, std::expm1(x), -800, 800),
      FUNCTION(log, std::log(x), 0, kInfinity),
      FUNCTION(log2, std::log2(x), 0, kInfinity),
      FUNCTION(log10, std::log10(x), 0, kInfinity),
      FUNCTION(log1p, std::log1p(x), -1, kInfinity),
      FUNCTION(sin, std::sin(x), -1e5, 1e5),
      FUNCTION(cos, std::cos(x), -1e5, 1e5),
      FUNCTION(tan, std::tan(x), -1e5, 1e5),
      FUNCTION(asin, std::asin(x), -1, 1),
      FUNCTION(acos, std::acos(x), -1, 1),
      FUNCTION(atan, std::atan(x), -kInfinity, kInfinity),
      FUNCTION(sinh, std::sinh(x), -800, 800),
      FUNCTION(cosh, std::cosh(x), -800, 800),
      FUNCTION(tanh, std::tanh(x), -kInfinity, kInfinity),
      FUNCTION(asinh, std::asinh(x), -kInfinity, kInfinity),
      FUNCTION(acosh, std::acosh(x), 1, kInfinity),
      FUNCTION(atanh, std::atanh(x), -1, 1),
      FUNCTION(erf, std::erf(x), -kInfinity, kInfinity),
      FUNCTION(erfc, std::erfc(x), -30, 30),
      FUNCTION(erfinv, erfinv_reference(x), -1, 1),
      FUNCTION(sigmoid, 1 / (1 + std::exp(-x)), -87, kInfinity),
  };
  return all;
}

/// Numbers of all magnitudes and both signs, and a dense stretch around 0.
template <class T>
std::vector<T> samples() {
  std::vector<T> all;
  const int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  for (int exponent = lowest; exponent < std::numeric_limits<T>::max_exponent; ++exponent)
    for (int i = 0; i < 64; ++i) {
      const T x =
          std::ldexp(T(1) + T(i) / 64 + T(i * i) * std::numeric_limits<T>::epsilon(), exponent);
      all.push_back(x);
      all.push_back(-x);
    }
  for (int i = -40000; i <= 40000; ++i) all.push_back(T(i) / T(1999));
  for (int i = 0; i <= 20000; ++i) all.push_back(T(i) * T(5.1234));
  return all;
}

/// The distance in units of the last place of the expected result. Below the normal range a unit
/// is that of the smallest normal numbers' binade.
template <class T>
double ulps(T got, long double expected) {
  if (std::isnan(expected)) return std::isnan(got) ? 0 : kInfinity;
  const T rounded = static_cast<T>(expected);
  if (std::isinf(rounded) || std::isinf(got))
    return got == rounded                                                    ? 0
           : std::fabs(expected) > 0.999999L * std::numeric_limits<T>::max() ? 0
                                                                             : kInfinity;
  const long double floor = std::numeric_limits<T>::min();
  const int exponent = std::ilogb(std::max(std::fabs(expected), floor));
  return static_cast<double>(std::fabs(got - expected) /
                             std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits + 1));
}

/// The worst error over all samples in range, with its argument.
template <class T>
std::pair<double, T> worst(T (*f)(T), const Function& function) {
  std::pair<double, T> result{0, 0};
  for (const T x : samples<T>()) {
    if (x < function.low || x > function.high) continue;
    const double error = ulps(f(x), function.reference(x));
    if (!(error <= result.first)) result = {error, x};
  }
  return result;
}

TEST_CASE("functions are accurate to a few units in the last place", "[math][reference]") {
  for (const Function& function : functions()) {
    DYNAMIC_SECTION(function.name) {
      const auto [error32, x32] = worst(function.f32, function);
      CAPTURE(x32, error32);
      CHECK(error32 <= 4.5);
      const auto [error64, x64] = worst(function.f64, function);
      CAPTURE(x64, error64);
      CHECK(error64 <= 8);
    }
  }
}

/// Numbers around which functions of two arguments change their nature.
template <class T>
std::vector<T> corners() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> all = {0,
                        0.5,
                        1,
                        1.5,
                        2,
                        3,
                        7.25,
                        1e-5,
                        1e4,
                        1e9,
                        Limits::min(),
                        Limits::denorm_min(),
                        Limits::max(),
                        Limits::infinity()};
  for (int i = 1; i < 40; ++i) all.push_back(std::exp2(T(i * i % 61 - 30)) * (T(1) + T(i) / 41));
  const size_t half = all.size();
  for (size_t i = 0; i < half; ++i) all.push_back(-all[i]);
  all.push_back(Limits::quiet_NaN());
  return all;
}

template <class T>
struct Function2 {
  const char* name;
  T (*value)(T, T);
  long double (*expected)(long double, long double);
  double tolerance;
};

#define FUNCTION2(name, tolerance)                                                               \
  Function2<T> {                                                                                 \
#name, [](T a, T b) { return math::name(reference::Value(a), reference::Value(b)).number(); }, \
        [](long double a, long double b) -> long double { return std::name(a, b); }, tolerance \
  }

template <class T>
void check_functions_of_two() {
  const Function2<T> functions[] = {FUNCTION2(pow, 4), FUNCTION2(atan2, 4), FUNCTION2(hypot, 2),
                                    FUNCTION2(fmod, 0)};
  for (const auto& f : functions)
    for (const T a : corners<T>())
      for (const T b : corners<T>()) {
        // Beyond a quotient of 2^100, fmod gives 0.
        const bool far = f.name == std::string("fmod") && std::fabs(a / b) > T(0x1p100);
        const double error = far ? 0 : ulps(f.value(a, b), f.expected(a, b));
        CAPTURE(f.name, a, b, f.value(a, b), static_cast<double>(f.expected(a, b)));
        if (!(error <= f.tolerance)) CHECK(error <= f.tolerance);
      }
}

TEST_CASE("functions of two numbers follow C in all corners", "[math][serial]") {
  check_functions_of_two<float>();
  check_functions_of_two<double>();
}

TEST_CASE("functions keep the sign of zero and pass nan on", "[math]") {
  for (const Function& function : functions()) {
    CAPTURE(function.name);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(std::isnan(function.f32(nan)));
    CHECK(std::isnan(function.f64(nan)));
    for (const double x : {0.0, -0.0, kInfinity, -kInfinity}) {
      const auto expected = static_cast<double>(function.reference(x));
      CAPTURE(x, expected, function.f64(x));
      CHECK((std::isnan(expected) ? std::isnan(function.f64(x))
                                  : function.f64(x) == Approx(expected)));
      CHECK(std::isnan(expected) == std::isnan(function.f32(static_cast<float>(x))));
      if (expected == 0) CHECK(std::signbit(function.f64(x)) == std::signbit(expected));
    }
  }
}

TEST_CASE("sigmoid falls to the smallest normal numbers, then to 0", "[math]") {
  using reference::Value;
  for (double x = -700; x < -80; x += 0.37)
    CHECK(math::sigmoid(Value(x)).number() == Approx(std::exp(x)).epsilon(1e-13));
  for (const double x : {-710.0, -1e6, -1e300}) CHECK(math::sigmoid(Value(x)).number() == 0);
  for (const float x : {-89.0f, -1e6f, -1e30f}) CHECK(math::sigmoid(Value(x)).number() == 0);
}

TEST_CASE("sin, cos and tan of angles of any size", "[math]") {
  using reference::Value;
  const auto check = [](double x) {
    CAPTURE(x);
    const auto narrow = static_cast<float>(x);
    const auto near = [](double expected) { return Approx(expected).margin(0).epsilon(1e-15); };
    CHECK(math::sin(Value(x)).number() == near(std::sin(x)));
    CHECK(math::cos(Value(x)).number() == near(std::cos(x)));
    CHECK(math::tan(Value(x)).number() == near(std::tan(x)));
    if (!std::isfinite(narrow)) return;
    const auto near_f32 = [](float expected) { return Approx(expected).margin(0).epsilon(5e-7); };
    CHECK(math::sin(Value(narrow)).number() == near_f32(std::sin(narrow)));
    CHECK(math::cos(Value(narrow)).number() == near_f32(std::cos(narrow)));
  };
  for (double x = 1e5; x < 1e12; x *= 1.37) {
    CHECK(math::sin(Value(x)).number() == Approx(std::sin(x)).margin(1e-15).epsilon(1e-13));
    CHECK(math::cos(Value(x)).number() == Approx(std::cos(x)).margin(1e-15).epsilon(1e-13));
  }
  for (double x = 1.0000001e12; x < 1e308; x *= 1.37) check(x), check(-x);
  for (const double x : {5.94902508e34, 1.7976931348623157e308, 3.4028234663852886e38})
    check(x), check(-x);
  // Among f64 the nearest to a multiple of pi / 2 (J.-M. Muller, "Elementary Functions"), where the
  // C library is off by some units.
  const double nearest = 6381956970095103.0 * 0x1p797;
  CHECK(math::cos(Value(nearest)).number() ==
        Approx(-4.6871659242546277e-19).margin(0).epsilon(1e-15));
  CHECK(math::sin(Value(nearest)).number() == 1);
  CHECK(std::isnan(math::sin(Value(std::numeric_limits<double>::infinity())).number()));
  CHECK(std::isnan(math::cos(Value(-std::numeric_limits<float>::infinity())).number()));
}

TEST_CASE("the rest of a division is exact however large the quotient is", "[math]") {
  using reference::Value;
  const auto check = [](auto x, auto y) {
    CAPTURE(x, y);
    if (y != 0) CHECK(math::fmod(Value(x), Value(y)).number() == std::fmod(x, y));
  };
  for (double x = 5e-324; x < 1e308; x *= 7e17)
    for (double y = 5e-324; y < 1e308; y *= 1.3e16) check(x, y), check(-x, 0.37 * y);
  check(1.7976931348623157e308, 5e-324);
  check(-1.7976931348623157e308, 2.5e-310);
  for (float x = 1e-45f; x < 1e38f; x *= 7e4f)
    for (float y = 1e-45f; y < 1e38f; y *= 1.3e5f) check(x, y), check(-x, 0.37f * y);
}

TEST_CASE("lgamma and its derivative", "[math]") {
  using reference::Value;
  for (double x = -30.03; x < 40; x += 0.0107) {
    CAPTURE(x);
    const auto expected = static_cast<double>(std::lgamma(static_cast<long double>(x)));
    CHECK(math::lgamma(Value(x)).number() == Approx(expected).epsilon(2e-14).margin(2e-14));
    // The derivative against a central difference of the reference.
    const long double h = 1e-5L;
    const long double above = std::lgamma(x + h), below = std::lgamma(x - h);
    const bool pole = x < 0.01 && std::fabs(x - std::round(x)) < 0.01;
    if (!pole)
      CHECK(math::digamma(Value(x)).number() ==
            Approx(static_cast<double>((above - below) / (2 * h))).epsilon(1e-6).margin(1e-8));
  }
  // Relative to the value, also beside its zeros at 1 and 2.
  CHECK(math::lgamma(Value(1.0)).number() == 0);
  CHECK(math::lgamma(Value(2.0)).number() == 0);
  for (double offset = 1e-15; offset < 0.5; offset *= 1.37)
    for (const double x : {1 - offset, 1 + offset, 2 - offset, 2 + offset}) {
      CAPTURE(x, offset);
      const auto expected = static_cast<double>(std::lgamma(static_cast<long double>(x)));
      CHECK(math::lgamma(Value(x)).number() == Approx(expected).epsilon(4e-15));
      CHECK(number::lgamma(x) == math::lgamma(Value(x)).number());
    }
  for (const double x : {0.0, -1.0, -2.0, -17.0, kInfinity, -kInfinity, 1e306, -1e16, -1.79e308})
    CHECK(math::lgamma(Value(x)).number() == static_cast<double>(std::lgamma(x)));
  for (const double x : {-1e-200, -2.2250738585072014e-308, 2.2250738585072014e-308, -1e-320})
    CHECK(math::lgamma(Value(x)).number() == Approx(std::lgamma(x)).epsilon(1e-13));
  CHECK(math::lgamma(Value(3e38f)).number() == Approx(std::lgamma(3e38f)));
}

TEST_CASE("integer powers wrap around", "[math]") {
  using reference::Value;
  const auto power = [](auto x, auto y) { return math::integer_pow(Value(x), Value(y)).number(); };
  CHECK(power(int32_t{3}, int32_t{4}) == 81);
  CHECK(power(int64_t{-2}, int64_t{63}) == std::numeric_limits<int64_t>::min());
  CHECK(power(uint8_t{3}, uint8_t{200}) == 161);  // 3^200 mod 256
  CHECK(power(int8_t{-1}, int8_t{-3}) == -1);
  CHECK(power(int8_t{2}, int8_t{-1}) == 0);
  CHECK(power(int16_t{0}, int16_t{0}) == 1);
}

}  // namespace
}  // namespace tide
