// What is scattered by several threads at once, against plain loops.
#include <cmath>
#include <limits>

#include "runtime/cpu/visit_type.h"
#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;

namespace {

/// Positions from 1 to `limit`, of which many meet.
Array<int64_t> positions_to(int64_t limit, const Shape& shape) {
  Array<int64_t> result(shape);
  uint32_t state = 7;
  for (int64_t& value : result.values) value = (state = state * 1664525 + 1013904223) % limit + 1;
  return result;
}

template <class T>
bool nan_as(T x) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return std::isnan(static_cast<float>(x));
}

}  // namespace

TEMPLATE_TEST_CASE("scatter counts integers in bins of each thread", "[cpu]", int64_t, int32_t,
                   uint8_t) {
  using T = TestType;
  const int64_t length = 100003, size = 97;
  auto base = random_array<T>({size}, 1), source = random_array<T>({length}, 2);
  auto index = positions_to(size, {length});
  for (const bool broadcast : {false, true})
    for (const int threads : {1, 2, 7}) {
      ArrayView values = source.view();
      if (broadcast) values.layout.strides[0] = 0;
      Array<T> out({size});
      std::vector<T> expected = base.values;
      for (int64_t j = 0; j < length; ++j)
        expected[index.values[j] - 1] =
            static_cast<T>(expected[index.values[j] - 1] + source.values[broadcast ? 0 : j]);
      const ComputeCall call = run(ComputeOp::scatter, {base.view(), index.view(), values},
                                   {out.view()}, {0, 1}, threads);
      CHECK_FALSE(call.out_of_range);
      CHECK(out.values == expected);
    }
}

TEST_CASE("scatter reports the first bad position, whichever thread's bins it was for", "[cpu]") {
  const int64_t length = 100000, size = 50;
  Array<int64_t> base({size}), source({length}), out({size});
  auto index = positions_to(size, {length});
  index.values[70000] = 51;
  index.values[99999] = 0;
  const ComputeCall call =
      run(ComputeOp::scatter, {base.view(), index.view(), source.view()}, {out.view()}, {0, 1}, 3);
  CHECK(call.out_of_range);
  CHECK(call.position == 51);
  CHECK(call.limit == size);
}

TEMPLATE_TEST_CASE("scatter_minmax keeps the minima and maxima, and nan", "[cpu]", float, double,
                   BFloat16, int64_t, uint8_t) {
  using T = TestType;
  for (const Shape& shape : {Shape{3, 400, 1}, Shape{40, 300, 5}, Shape{1, 60000, 1}})
    for (const bool max : {true, false}) {
      const Shape base_shape{shape[0], 30, shape[2]};
      auto base = random_array<T>(base_shape, 1), source = random_array<T>(shape, 2);
      if constexpr (!std::is_integral_v<T>) {
        source.values[5] = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
        base.values[3] = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
        source.values[11] = static_cast<T>(max ? 1e30f : -1e30f);
      }
      auto index = positions_to(30, shape);
      std::vector<T> expected = base.values;
      for (int64_t i = 0; i < shape.numel(); ++i) {
        const int64_t block = i / (shape[1] * shape[2]), inner = i % shape[2];
        T& cell = expected[(block * 30 + index.values[i] - 1) * shape[2] + inner];
        const T value = source.values[i];
        if (nan_as(cell)) continue;
        if (nan_as(value) || (max ? value > cell : value < cell)) cell = value;
      }
      for (const int threads : {1, 3}) {
        Array<T> out(base_shape);
        run(ComputeOp::scatter_minmax, {base.view(), index.view(), source.view()}, {out.view()},
            {1, max}, threads);
        for (size_t i = 0; i < expected.size(); ++i) {
          REQUIRE(nan_as(out.values[i]) == nan_as(expected[i]));
          if (!nan_as(expected[i])) REQUIRE(out.values[i] == expected[i]);
        }
      }
    }
}

TEST_CASE("gather continues after a bad position", "[cpu]") {
  auto x = random_array<float>({2, 100}, 1);
  auto index = positions_to(100, {2, 1000});
  index.values[13] = 101;
  index.values[1500] = 0;
  Array<float> out({2, 1000});
  const ComputeCall call = run(ComputeOp::gather, {x.view(), index.view()}, {out.view()}, {1});
  CHECK(call.out_of_range);
  CHECK(call.position == 101);
  for (int64_t i = 0; i < 2000; ++i) {
    const int64_t place = std::clamp<int64_t>(index.values[i], 1, 100) - 1;
    REQUIRE(out.values[i] == x.values[i / 1000 * 100 + place]);
  }
}

TEMPLATE_TEST_CASE("scatter puts what meets in a row in order, block by block", "[cpu]", float,
                   double, BFloat16, int32_t) {
  using T = TestType;
  // The array's rows, the index, columns: all rows in one, more rows than positions, odd sizes.
  const auto [blocks, rows, length, columns] = GENERATE(table<int64_t, int64_t, int64_t, int64_t>(
      {{1, 1, 300, 256}, {1, 500, 20, 300}, {3, 17, 90, 515}, {2, 40, 1, 128}, {2, 9, 33, 64}}));
  const bool add = GENERATE(true, false), shared_value = GENERATE(true, false);
  // An index that covers fewer columns than the array has leaves the others.
  const int64_t all_columns = columns + GENERATE(0, 5);
  CAPTURE(blocks, rows, length, columns, add, shared_value, all_columns);
  auto base = random_array<T>({blocks, rows, all_columns}, 1);
  auto source = random_array<T>({blocks, length, columns}, 2);
  auto index = positions_to(rows, {length});
  const int64_t bad = length > 30 ? 30 : -1;
  if (bad >= 0) index.values[bad] = rows + 1;
  ArrayView at = index.view(), values = source.view();
  at.layout = Layout(source.shape);
  at.layout.strides = {0, 1, 0};
  if (shared_value) values.layout.strides[2] = 0;
  std::vector<Wide<T>> expected(base.values.begin(), base.values.end());
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t j = 0; j < length; ++j)
      for (int64_t c = 0; c < columns && j != bad; ++c) {
        Wide<T>& cell = expected[(block * rows + index.values[j] - 1) * all_columns + c];
        const auto value = static_cast<Wide<T>>(
            source.values[(block * length + j) * columns + (shared_value ? 0 : c)]);
        cell = static_cast<Wide<T>>(add ? cell + value : value);
      }
  for (const int threads : {1, 3}) {
    Array<T> out(base.shape);
    const ComputeCall call =
        run(ComputeOp::scatter, {base.view(), at, values}, {out.view()}, {1, add}, threads);
    CHECK(call.out_of_range == (bad >= 0));
    if (bad >= 0) CHECK(call.position == rows + 1);
    std::vector<T> rounded(expected.begin(), expected.end());
    CHECK(same_bits(out.values, rounded));
  }
}

TEST_CASE("scatter along short rows continues after a bad position", "[cpu]") {
  auto base = random_array<float>({5, 19}, 1), source = random_array<float>({5, 100}, 2);
  auto index = positions_to(19, source.shape);
  index.values[203] = 20;
  index.values[298] = 0;
  std::vector<float> expected = base.values;
  for (int64_t i = 0; i < 500; ++i)
    if (i != 203 && i != 298) expected[i / 100 * 19 + index.values[i] - 1] += source.values[i];
  Array<float> out(base.shape);
  const ComputeCall call =
      run(ComputeOp::scatter, {base.view(), index.view(), source.view()}, {out.view()}, {1, 1});
  CHECK(call.out_of_range);
  CHECK(call.position == 20);
  CHECK(same_bits(out.values, expected));
}
