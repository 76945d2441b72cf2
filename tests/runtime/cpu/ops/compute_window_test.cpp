// Sums over windows against plain loops.

#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;

TEMPLATE_TEST_CASE("sums over windows have the bits of plain loops", "[cpu]", float, double) {
  using T = TestType;
  // Windows along the last dimension, and rows of neighbours; blocks and windows of odd numbers.
  const int64_t blocks = GENERATE(1, 5, 16, 37), inner = GENERATE(1, 2, 7, 40);
  const int64_t from = GENERATE(1, 9), to = GENERATE(1, 19, 64), taps = GENERATE(1, 2, 3, 5);
  CAPTURE(blocks, inner, from, to, taps);
  auto x = random_array<T>({blocks, from, inner}, 1), weights = random_array<T>({to, taps}, 2);
  Array<int64_t> positions({to, taps});
  for (int64_t i = 0; i < to * taps; ++i) positions.values[i] = i * 7 % from + 1;
  Array<T> expected({blocks, to, inner});
  for (int64_t i = 0; i < blocks * to * inner; ++i) {
    const int64_t block = i / (to * inner), window = i / inner % to, lane = i % inner;
    T sum = 0;
    for (int64_t k = 0; k < taps; ++k) {
      const int64_t place = positions.values[window * taps + k] - 1;
      const T term =
          x.values[(block * from + place) * inner + lane] * weights.values[window * taps + k];
      sum = k == 0 ? term : sum + term;
    }
    expected.values[i] = sum;
  }
  for (const int threads : {1, 3}) {
    Array<T> out(expected.shape);
    run(ComputeOp::window_sums, {x.view(), positions.view(), weights.view()}, {out.view()}, {},
        threads);
    CHECK(same_bits(out.values, expected.values));
  }
}
