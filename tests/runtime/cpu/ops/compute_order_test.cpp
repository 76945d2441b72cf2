// Sorting and running sums, products and minima and maxima against plain loops.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;

TEMPLATE_TEST_CASE("sort is stable in both directions", "[cpu]", float, double, Float16, BFloat16,
                   int64_t, int16_t, int8_t, uint8_t) {
  using T = TestType;
  for (int64_t length : {1, 2, 37, 5000})
    for (int64_t descending : {0, 1}) {
      auto x = random_array<T>({3, length}, 1);
      for (size_t i = 0; i < x.values.size(); i += 2) x.values[i] = x.values[i / 2];
      Array<T> values(x.shape);
      Array<int64_t> positions(x.shape);
      run(ComputeOp::sort, {x.view()}, {values.view(), positions.view()}, {descending});
      for (int64_t row = 0; row < 3; ++row) {
        const T* from = x.values.data() + row * length;
        std::vector<int64_t> order(length);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
          return descending ? from[a] > from[b] : from[a] < from[b];
        });
        for (int64_t i = 0; i < length; ++i) {
          REQUIRE(positions.values[row * length + i] == order[i] + 1);
          REQUIRE(values.values[row * length + i] == from[order[i]]);
        }
      }
    }
}

namespace {

/// Checks the order of one row, whatever the threads, and that each number keeps its bits.
template <class T>
void check_long_row(std::vector<T> row) {
  const auto length = static_cast<int64_t>(row.size());
  Array<T> x({1, length}, std::move(row));
  const auto before = [&](int64_t a, int64_t b) {
    const T u = x.values[a], v = x.values[b];
    return u < v || (u == u && v != v);  // nan comes last
  };
  for (int64_t descending : {0, 1}) {
    std::vector<int64_t> order(length);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return descending ? before(b, a) : before(a, b);
    });
    for (int threads : {1, 3}) {
      Array<T> values(x.shape);
      Array<int64_t> positions(x.shape);
      run(ComputeOp::sort, {x.view()}, {values.view(), positions.view()}, {descending}, threads);
      for (int64_t i = 0; i < length; ++i) {
        REQUIRE(positions.values[i] == order[i] + 1);
        REQUIRE(std::memcmp(&values.values[i], &x.values[order[i]], sizeof(T)) == 0);
      }
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("a long row is sorted by all threads", "[cpu]", float, double) {
  using T = TestType;
  constexpr T kSpecial[] = {T(0), T(-0.0), T(NAN), T(-NAN), T(INFINITY), T(-INFINITY), T(1e-40)};
  auto row = random_array<T>({70000}, 1).values;
  for (size_t i = 0; i < row.size(); i += 5) row[i] = kSpecial[i % std::size(kSpecial)];
  check_long_row(row);
}

TEST_CASE("long rows of integers are sorted, of a wide and a narrow range", "[cpu]") {
  std::mt19937_64 random(1);
  std::vector<int64_t> wide(60000), narrow(60000);
  for (int64_t& x : wide) x = static_cast<int64_t>(random());
  for (int64_t& x : narrow) x = static_cast<int64_t>(random() % 3000) - 1000000000000;
  check_long_row(wide);
  check_long_row(narrow);
  check_long_row(std::vector<int64_t>(60000, 7));
  // Keys that differ in their lowest bits alone, or crowd around a few numbers.
  for (size_t i = 0; i < wide.size(); ++i) {
    narrow[i] = wide[i] >> 62;
    wide[i] = (wide[i] & ~int64_t{0xffffffffffff}) | static_cast<int64_t>(random() & 7);
  }
  for (int64_t& x : narrow) x = x * 1000000000000000 + static_cast<int64_t>(random() & 255);
  check_long_row(wide);
  check_long_row(narrow);
  wide.resize(700);
  check_long_row(wide);
}

TEMPLATE_TEST_CASE("the first few of the order are those of sort", "[cpu]", float, BFloat16,
                   int64_t, uint8_t) {
  using T = TestType;
  // The longest row is looked through in parts.
  for (int64_t length : {40, 5000, 700000}) {
    auto x = random_array<T>({2, length}, 1);
    for (size_t i = 0; i < x.values.size(); i += 3) x.values[i] = x.values[i / 2];
    for (int64_t descending : {0, 1}) {
      Array<T> all(x.shape);
      Array<int64_t> order(x.shape);
      run(ComputeOp::sort, {x.view()}, {all.view(), order.view()}, {descending});
      for (int64_t kept : {1, 5}) {
        Array<T> values({2, kept});
        Array<int64_t> positions({2, kept});
        run(ComputeOp::sort, {x.view()}, {values.view(), positions.view()}, {descending});
        for (int64_t i = 0; i < 2 * kept; ++i) {
          const int64_t at = i / kept * length + i % kept;
          REQUIRE(positions.values[i] == order.values[at]);
          REQUIRE(values.values[i] == all.values[at]);
        }
      }
    }
  }
}

TEST_CASE("sort puts nan above all numbers and takes -0 for 0", "[cpu]") {
  Array<float> x({7}, {0.0f, NAN, -0.0f, INFINITY, -1.0f, NAN, -INFINITY}), values({7});
  Array<int64_t> positions({7});
  run(ComputeOp::sort, {x.view()}, {values.view(), positions.view()}, {0});
  CHECK(positions.values == std::vector<int64_t>{7, 5, 1, 3, 4, 2, 6});
  run(ComputeOp::sort, {x.view()}, {values.view(), positions.view()}, {1});
  CHECK(positions.values == std::vector<int64_t>{2, 6, 4, 1, 3, 5, 7});
}

TEST_CASE("cumsum and cumprod run along each dimension", "[cpu]") {
  auto x = random_array<double>({3, 50, 70}, 1);
  const int64_t inner[] = {3500, 70, 1};
  for (int64_t dim = 0; dim < 3; ++dim)
    for (bool product : {false, true}) {
      Array<double> y(x.shape);
      run(product ? ComputeOp::cumprod : ComputeOp::cumsum, {x.view()}, {y.view()}, {dim});
      for (int64_t i = 0; i < x.shape.numel(); ++i) {
        const bool first = i / inner[dim] % x.shape[static_cast<int>(dim)] == 0;
        const double before = first ? (product ? 1 : 0) : y.values[i - inner[dim]];
        REQUIRE(y.values[i] == (product ? before * x.values[i] : before + x.values[i]));
      }
    }
}

TEST_CASE("running sums of long fibers add up by blocks, whatever the threads", "[cpu]") {
  for (const Shape& shape : {Shape{2, 9001}, Shape{1, 4096}, Shape{5003, 3}, Shape{1, 70000}}) {
    const int dim = shape[1] == 3 ? 0 : 1;
    const int64_t inner = dim == 0 ? shape[1] : 1;
    auto x = random_array<double>(shape, 1);
    std::vector<double> expected(x.values.size());
    for (int64_t fiber = 0; fiber < shape[1 - dim]; ++fiber) {
      double before = 0, sum = 0;
      for (int64_t i = 0; i < shape[dim]; ++i) {
        if (i % kScanBlock == 0) before += sum, sum = 0;
        const int64_t at = dim == 0 ? i * inner + fiber : fiber * shape[1] + i;
        expected[at] = before + (sum += x.values[at]);
      }
    }
    for (const int threads : {1, 2, 4}) {
      Array<double> y(shape);
      run(ComputeOp::cumsum, {x.view()}, {y.view()}, {dim}, threads);
      CHECK(y.values == expected);
    }
  }
}

TEST_CASE("cumsum of narrow types widens or wraps as the output asks", "[cpu]") {
  Array<uint8_t> x({3}, {200, 100, 7}), narrow({3});
  Array<int64_t> wide({3});
  run(ComputeOp::cumsum, {x.view()}, {wide.view()}, {0});
  CHECK(wide.values == std::vector<int64_t>{200, 300, 307});
  run(ComputeOp::cumsum, {x.view()}, {narrow.view()}, {0});
  CHECK(narrow.values == std::vector<uint8_t>{200, 44, 51});
}

TEST_CASE("cumulative minima and maxima report the last of equal values and keep nan", "[cpu]") {
  Array<float> x({6}, {1, 3, 3, 2, NAN, 5}), values({6});
  Array<int64_t> positions({6});
  run(ComputeOp::cumulative_minmax, {x.view()}, {values.view(), positions.view()}, {0, 1});
  CHECK(positions.values == std::vector<int64_t>{1, 2, 3, 3, 5, 5});
  CHECK(values.values[3] == 3);
  CHECK(std::isnan(values.values[5]));
  Array<int32_t> whole({2, 2}, {4, 1, 4, 0}), least({2, 2});
  Array<int64_t> places({2, 2});
  run(ComputeOp::cumulative_minmax, {whole.view()}, {least.view(), places.view()}, {0, 0});
  CHECK(least.values == std::vector<int32_t>{4, 1, 4, 0});
  CHECK(places.values == std::vector<int64_t>{1, 1, 2, 2});
}
