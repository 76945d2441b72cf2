// Distances of rows against plain loops.
#include <cmath>

#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;

TEMPLATE_TEST_CASE("distances agree with plain loops, by any number of threads", "[cpu]", float,
                   double) {
  using T = TestType;
  for (const auto& [m, n, size] :
       {std::array<int64_t, 3>{1, 1, 1}, {7, 33, 3}, {130, 70, 600}, {5, 64, 0}, {97, 31, 257}}) {
    auto a = random_array<T>({2, m, size}, 1), b = random_array<T>({2, n, size}, 2);
    if (size > 0) std::copy_n(a.values.begin(), size, b.values.begin());
    Array<T> one({2, m, n}), three({2, m, n});
    run(ComputeOp::distances, {a.view(), b.view()}, {one.view()}, {}, 1);
    run(ComputeOp::distances, {a.view(), b.view()}, {three.view()}, {}, 3);
    CHECK(same_bits(one.values, three.values));
    for (int64_t i = 0; i < 2 * m * n; ++i) {
      const int64_t batch = i / (m * n), row = i / n % m, column = i % n;
      long double sum = 0;
      for (int64_t p = 0; p < size; ++p) {
        const long double gap = static_cast<long double>(a.values[(batch * m + row) * size + p]) -
                                b.values[(batch * n + column) * size + p];
        sum += gap * gap;
      }
      const auto expected = static_cast<double>(std::sqrt(sum));
      REQUIRE(one.values[i] == Approx(expected).epsilon(sizeof(T) == 4 ? 2e-6 : 1e-14));
    }
    if (size > 0) CHECK(one.values[0] == 0);
  }
}

TEMPLATE_TEST_CASE("distances of the pairs of rows are those of the whole matrix", "[cpu]", float,
                   double) {
  using T = TestType;
  const int64_t n = GENERATE(2, 33, 64, 65, 200), size = GENERATE(0, 1, 300);
  auto a = random_array<T>({n, size}, 1);
  Array<T> all({n, n});
  run(ComputeOp::distances, {a.view(), a.view()}, {all.view()}, {});
  for (const int threads : {1, 3}) {
    Array<T> pairs({n * (n - 1) / 2});
    run(ComputeOp::distances, {a.view()}, {pairs.view()}, {}, threads);
    std::vector<T> expected;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i + 1; j < n; ++j) expected.push_back(all.values[i * n + j]);
    CHECK(same_bits(pairs.values, expected));
  }
}
