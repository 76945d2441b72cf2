// Gather and scatter against plain loops, and what they do with bad positions.

#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;

namespace {

Array<int64_t> random_positions(const Shape& shape, int64_t limit) {
  Array<int64_t> result(shape);
  uint32_t state = 7;
  for (int64_t& value : result.values) value = (state = state * 1664525 + 1013904223) % limit + 1;
  return result;
}

/// Linear number in `shape` of the point with number `linear` in `index`, with coordinate `dim`
/// replaced.
int64_t moved(const Shape& index, const Shape& shape, int64_t linear, int dim, int64_t coordinate) {
  int64_t result = 0, step = 1;
  for (int d = index.rank() - 1; d >= 0; --d) {
    const int64_t here = d == dim ? coordinate : linear % index[d];
    linear /= index[d];
    result += here * step;
    step *= shape[d];
  }
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("gather picks along each dimension", "[cpu]", float, double, Float16, int8_t) {
  auto x = random_array<TestType>({4, 5, 6}, 1);
  for (int dim = 0; dim < 3; ++dim) {
    Shape shape{3, 4, 5};
    shape[dim] = 700;
    auto index = random_positions(shape, x.shape[dim]);
    Array<TestType> out(shape);
    const ComputeCall call = run(ComputeOp::gather, {x.view(), index.view()}, {out.view()}, {dim});
    CHECK_FALSE(call.out_of_range);
    for (int64_t i = 0; i < shape.numel(); ++i)
      REQUIRE(out.values[i] == x.values[moved(shape, x.shape, i, dim, index.values[i] - 1)]);
  }
}

TEST_CASE("gather takes rows by an index with stride 0", "[cpu]") {
  auto table = random_array<float>({7, 33}, 1);
  auto index = random_positions({100}, 7);
  ArrayView wide = index.view();
  wide.layout.shape = {100, 33};
  wide.layout.strides = {1, 0};
  Array<float> out({100, 33});
  run(ComputeOp::gather, {table.view(), wide}, {out.view()}, {0});
  for (int i = 0; i < 3300; ++i)
    REQUIRE(out.values[i] == table.values[(index.values[i / 33] - 1) * 33 + i % 33]);
}

TEST_CASE("gather reads a transposed tensor", "[cpu]") {
  auto x = random_array<int32_t>({3, 5}, 1);
  auto index = random_positions({2, 3}, 5);
  Array<int32_t> out({2, 3});
  run(ComputeOp::gather, {x.transposed_view(), index.view()}, {out.view()}, {0});
  for (int i = 0; i < 6; ++i) REQUIRE(out.values[i] == x.values[i % 3 * 5 + index.values[i] - 1]);
}

TEMPLATE_TEST_CASE("scatter writes and adds in order of the index", "[cpu]", float, BFloat16,
                   int64_t, uint8_t) {
  using T = TestType;
  auto base = random_array<T>({4, 5, 6}, 1);
  for (int dim = 0; dim < 3; ++dim)
    for (int64_t add : {0, 1})
      for (int threads : {1, 3}) {
        Shape shape{3, 4, 5};
        shape[dim] = 900;
        auto index = random_positions(shape, base.shape[dim]);
        auto source = random_array<T>(shape, 2);
        Array<T> out(base.shape);
        run(ComputeOp::scatter, {base.view(), index.view(), source.view()}, {out.view()},
            {dim, add}, threads);
        using Sum = std::conditional_t<std::is_same_v<T, BFloat16>, float, T>;
        std::vector<Sum> expected(base.values.begin(), base.values.end());
        for (int64_t i = 0; i < shape.numel(); ++i) {
          Sum& cell = expected[moved(shape, base.shape, i, dim, index.values[i] - 1)];
          const Sum value = source.values[i];
          cell = static_cast<Sum>(add ? cell + value : value);
        }
        for (size_t i = 0; i < expected.size(); ++i)
          REQUIRE(out.values[i] == static_cast<T>(expected[i]));
      }
}

TEST_CASE("scatter goes through whole rows, and leaves those that the index lacks", "[cpu]") {
  for (int64_t rows : {40, 37})
    for (int threads : {1, 3}) {
      auto base = random_array<float>({40, 500}, 1), source = random_array<float>({rows, 900}, 2);
      auto index = random_positions({rows, 900}, 500);
      index.values[1234] = 501;
      Array<float> out(base.shape);
      const ComputeCall call = run(ComputeOp::scatter, {base.view(), index.view(), source.view()},
                                   {out.view()}, {1, 1}, threads);
      CHECK(call.out_of_range);
      CHECK(call.position == 501);
      std::vector<float> expected = base.values;
      for (int64_t i = 0; i < rows * 900; ++i)
        if (i != 1234) expected[i / 900 * 500 + index.values[i] - 1] += source.values[i];
      CHECK(same_bits(out.values, expected));
    }
}

TEST_CASE("gather leaves out dimensions of one point", "[cpu]") {
  auto x = random_array<float>({300, 7, 1, 5}, 1);
  auto index = random_positions({300, 1, 1, 1}, 7);
  Array<float> out(index.shape);
  run(ComputeOp::gather, {x.view(), index.view()}, {out.view()}, {1});
  for (int64_t i = 0; i < 300; ++i)
    REQUIRE(out.values[i] == x.values[(i * 7 + index.values[i] - 1) * 5]);
  Array<int64_t> one({1, 1, 1, 1}, {3});
  Array<float> single(one.shape);
  run(ComputeOp::gather, {x.view(), one.view()}, {single.view()}, {1});
  CHECK(single.values[0] == x.values[10]);
}

TEST_CASE("scatter takes one long fiber in order, by any number of threads", "[cpu]") {
  constexpr int64_t kCount = 60000;
  auto base = random_array<float>({500}, 1), source = random_array<float>({kCount}, 2);
  auto index = random_positions({kCount}, 500);
  index.values[100] = 0;
  index.values[50000] = 501;
  for (int64_t add : {0, 1})
    for (int threads : {1, 2, 3}) {
      Array<float> out(base.shape);
      const ComputeCall call = run(ComputeOp::scatter, {base.view(), index.view(), source.view()},
                                   {out.view()}, {0, add}, threads);
      CHECK(call.position == 0);
      std::vector<float> expected = base.values;
      for (int64_t i = 0; i < kCount; ++i) {
        if (i == 100 || i == 50000) continue;
        float& cell = expected[index.values[i] - 1];
        cell = add ? cell + source.values[i] : source.values[i];
      }
      REQUIRE(out.values == expected);
    }
}

TEST_CASE("scatter takes so long a fiber that it goes in several rounds", "[cpu][reference]") {
  constexpr int64_t kCount = 4'300'000, kTargets = 3'000'000;
  auto base = random_array<float>({kTargets}, 1), pairs = random_array<float>({kCount, 2}, 2);
  auto index = random_positions({kCount}, kTargets);
  index.values[kCount - 1] = kTargets + 1;
  ArrayView source = pairs.view();  // every other number
  source.layout.shape = {kCount};
  source.layout.strides = {2};
  std::vector<float> expected = base.values;
  for (int64_t i = 0; i + 1 < kCount; ++i) expected[index.values[i] - 1] += pairs.values[2 * i];
  for (int threads : {1, 3}) {
    Array<float> out(base.shape);
    const ComputeCall call =
        run(ComputeOp::scatter, {base.view(), index.view(), source}, {out.view()}, {0, 1}, threads);
    CHECK(call.position == kTargets + 1);
    REQUIRE(out.values == expected);
  }
}

TEST_CASE("gather takes one long fiber in parts", "[cpu]") {
  constexpr int64_t kCount = 60000;
  auto x = random_array<float>({500}, 1);
  auto index = random_positions({kCount}, 500);
  std::vector<float> expected;
  for (int64_t position : index.values) expected.push_back(x.values[position - 1]);
  index.values[40000] = -1;
  index.values[50000] = 501;
  expected[40000] = x.values[0];
  expected[50000] = x.values[499];
  for (int threads : {1, 2, 3}) {
    Array<float> out({kCount});
    const ComputeCall call =
        run(ComputeOp::gather, {x.view(), index.view()}, {out.view()}, {0}, threads);
    CHECK(call.position == -1);
    REQUIRE(out.values == expected);
  }
}

TEST_CASE("scatter adds whole rows whose columns share a position", "[cpu]") {
  auto base = random_array<float>({7, 33}, 1), source = random_array<float>({900, 33}, 2);
  auto index = random_positions({900}, 7);
  ArrayView wide = index.view();
  wide.layout.shape = {900, 33};
  wide.layout.strides = {1, 0};
  std::vector<float> expected = base.values;
  for (int64_t i = 0; i < 900 * 33; ++i)
    expected[(index.values[i / 33] - 1) * 33 + i % 33] += source.values[i];
  for (int threads : {1, 3}) {
    Array<float> out(base.shape);
    run(ComputeOp::scatter, {base.view(), wide, source.view()}, {out.view()}, {0, 1}, threads);
    REQUIRE(out.values == expected);
  }
}

TEST_CASE("scatter shares out blocks of many columns", "[cpu]") {
  auto base = random_array<float>({2, 5, 1501}, 1), source = random_array<float>({2, 40, 1501}, 2);
  auto index = random_positions({2, 40, 1501}, 5);
  std::vector<float> expected = base.values;
  for (int64_t i = 0; i < 2 * 40 * 1501; ++i) {
    const int64_t block = i / (40 * 1501), column = i % 1501;
    expected[(block * 5 + index.values[i] - 1) * 1501 + column] += source.values[i];
  }
  for (int threads : {1, 3}) {
    Array<float> out(base.shape);
    run(ComputeOp::scatter, {base.view(), index.view(), source.view()}, {out.view()}, {1, 1},
        threads);
    REQUIRE(out.values == expected);
  }
}

TEST_CASE("positions out of range are reported and do no harm", "[cpu]") {
  auto x = random_array<float>({3, 2}, 1);
  Array<int64_t> index({3, 2}, {1, 2, 3, 0, 9, -1});
  Array<float> out({3, 2});
  ComputeCall call = run(ComputeOp::gather, {x.view(), index.view()}, {out.view()}, {0});
  CHECK(call.out_of_range);
  CHECK(call.position == 0);
  CHECK(call.limit == 3);
  CHECK(out.values[3] == x.values[1]);
  CHECK(out.values[4] == x.values[4]);

  auto source = random_array<float>({3, 2}, 2);
  call = run(ComputeOp::scatter, {x.view(), index.view(), source.view()}, {out.view()}, {0, 0});
  CHECK(call.out_of_range);
  CHECK(call.position == 0);
  const auto& s = source.values;
  CHECK(out.values == std::vector<float>{s[0], x.values[1], x.values[2], s[1], s[2], x.values[5]});
}

TEST_CASE("positions at the ends of their type write nothing", "[cpu]") {
  for (const int64_t columns : {1, 33})
    for (const int64_t length : {100, 40000}) {
      auto base = random_array<float>({7, columns}, 1);
      auto source = random_array<float>({length, columns}, 2);
      Array<int64_t> index({length});
      for (int64_t i = 0; i < length; ++i) index.values[i] = i % 2 ? INT64_MIN : INT64_MAX;
      ArrayView wide = index.view();
      wide.layout.shape = {length, columns};
      wide.layout.strides = {1, 0};
      Array<float> out(base.shape);
      const ComputeCall call =
          run(ComputeOp::scatter, {base.view(), wide, source.view()}, {out.view()}, {0, 1}, 3);
      CHECK(call.out_of_range);
      CHECK(call.position == INT64_MAX);
      CHECK(out.values == base.values);
    }
}

TEST_CASE("the first bad position counts, whichever thread meets it", "[cpu]") {
  auto x = random_array<float>({5}, 1);
  auto index = random_positions({200000}, 5);
  index.values[30000] = 77;
  index.values[190000] = 88;
  Array<float> out({200000});
  for (int threads : {1, 4}) {
    const ComputeCall call =
        run(ComputeOp::gather, {x.view(), index.view()}, {out.view()}, {0}, threads);
    CHECK(call.position == 77);
  }
}
