// Pooling against plain loops over windows.
#include <cmath>

#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;

namespace {

struct PoolCase {
  int64_t h, w, kh, kw, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w;
  int64_t oh, ow;
};

// The one of 7 x 8 rounds up (ceil_mode): its last windows hang over the edge. The wide ones have
// rows of several vectors.
const PoolCase kPoolCases[] = {
    {8, 8, 2, 2, 2, 2, 0, 0, 1, 1, 4, 4},   {9, 7, 3, 3, 2, 2, 1, 1, 1, 1, 5, 4},
    {10, 11, 3, 2, 1, 3, 1, 0, 2, 2, 8, 3}, {5, 6, 5, 6, 1, 1, 0, 0, 1, 1, 1, 1},
    {7, 8, 3, 3, 2, 2, 0, 0, 1, 1, 3, 4},   {6, 44, 3, 3, 2, 2, 1, 1, 1, 1, 3, 22},
    {5, 35, 3, 5, 1, 1, 1, 2, 1, 1, 5, 35}, {6, 41, 2, 3, 2, 2, 1, 0, 2, 2, 3, 19},
    {4, 32, 2, 2, 2, 2, 0, 0, 1, 1, 2, 16}, {3, 50, 1, 3, 1, 3, 0, 0, 1, 1, 3, 16},
    {4, 61, 2, 4, 2, 5, 1, 2, 1, 1, 3, 13}, {2, 80, 1, 3, 1, 8, 0, 1, 2, 2, 2, 10},
    {2, 99, 1, 9, 1, 9, 0, 0, 1, 1, 2, 11}, {3, 48, 3, 3, 3, 3, 0, 0, 1, 1, 1, 16},
    {2, 51, 1, 5, 1, 3, 0, 2, 1, 1, 2, 17}};

std::vector<int64_t> max_attributes(const PoolCase& k) {
  return {k.kh, k.kw, k.stride_h, k.stride_w, k.pad_h, k.pad_w, k.dilation_h, k.dilation_w, 0};
}

}  // namespace

TEMPLATE_TEST_CASE("max_pool2d finds the first maximum and its position", "[cpu]", float, double,
                   BFloat16, int64_t, uint8_t) {
  using T = TestType;
  for (const PoolCase& k : kPoolCases) {
    auto x = random_array<T>({2, 3, k.h, k.w}, 1);
    for (size_t i = 0; i < x.values.size(); i += 3) x.values[i] = x.values[i / 2];  // make ties
    Array<T> values({2, 3, k.oh, k.ow});
    Array<int64_t> positions({2, 3, k.oh, k.ow});
    run(ComputeOp::max_pool2d, {x.view()}, {values.view(), positions.view()}, max_attributes(k));
    Array<T> alone({2, 3, k.oh, k.ow});
    run(ComputeOp::max_pool2d, {x.view()}, {alone.view()}, max_attributes(k));
    REQUIRE(same_bits(alone.values, values.values));
    auto dy = random_array<double>({2, 3, k.oh, k.ow}, 2);
    Array<double> dx({2, 3, k.h, k.w});
    std::vector<double> expected_dx(dx.values.size());
    size_t out = 0;
    for (int64_t plane = 0; plane < 6; ++plane)
      for (int64_t i = 0; i < k.oh; ++i)
        for (int64_t j = 0; j < k.ow; ++j, ++out) {
          int64_t best = -1;
          for (int64_t a = 0; a < k.kh; ++a)
            for (int64_t b = 0; b < k.kw; ++b) {
              const int64_t y = i * k.stride_h - k.pad_h + a * k.dilation_h;
              const int64_t z = j * k.stride_w - k.pad_w + b * k.dilation_w;
              if (y < 0 || y >= k.h || z < 0 || z >= k.w) continue;
              const int64_t place = plane * k.h * k.w + y * k.w + z;
              if (best < 0 || x.values[place] > x.values[best]) best = place;
            }
          REQUIRE(values.values[out] == x.values[best]);
          REQUIRE(positions.values[out] == best % (k.h * k.w) + 1);
          expected_dx[best] += dy.values[out];
        }
    run(ComputeOp::max_pool2d_backward, {dy.view(), positions.view()}, {dx.view()},
        max_attributes(k));
    CHECK(dx.values == expected_dx);
  }
}

TEST_CASE("max_pool2d lets nan win and keeps -inf", "[cpu]") {
  Array<float> x({1, 1, 1, 4}, {1, NAN, -INFINITY, -INFINITY});
  Array<float> values({1, 1, 1, 2});
  Array<int64_t> positions({1, 1, 1, 2});
  run(ComputeOp::max_pool2d, {x.view()}, {values.view(), positions.view()},
      {1, 2, 1, 2, 0, 0, 1, 1, 0});
  CHECK(std::isnan(values.values[0]));
  CHECK(values.values[1] == -INFINITY);
  CHECK(positions.values == std::vector<int64_t>{2, 3});
}

TEST_CASE("max_pool2d treats nan in long rows as in short ones", "[cpu]") {
  // The last of two nans counts, and what comes after them does not.
  Array<float> x = random_array<float>({1, 1, 1, 64}, 3);
  for (int64_t i = 0; i < 64; i += 8) x.values[i + 1] = x.values[i + 2] = NAN;
  Array<float> values({1, 1, 1, 16});
  Array<int64_t> positions({1, 1, 1, 16});
  run(ComputeOp::max_pool2d, {x.view()}, {values.view(), positions.view()},
      {1, 4, 1, 4, 0, 0, 1, 1, 0});
  Array<float> apart({1, 1, 1, 31});
  Array<int64_t> places({1, 1, 1, 31});
  run(ComputeOp::max_pool2d, {x.view()}, {apart.view(), places.view()},
      {1, 4, 1, 2, 0, 0, 1, 1, 0});
  for (int64_t i = 0; i < 16; ++i) {
    CHECK(std::isnan(values.values[i]) == (i % 2 == 0));
    if (i % 2 == 0) CHECK(positions.values[i] == 4 * i + 3);
    CHECK(positions.values[i] == places.values[2 * i]);
    CHECK((values.values[i] == apart.values[2 * i] || std::isnan(apart.values[2 * i])));
  }
}

TEST_CASE("avg_pool2d and its gradient agree with plain loops", "[cpu]") {
  for (const PoolCase& k : kPoolCases)
    for (int64_t count_pad : {0, 1})
      for (int64_t divisor : {0, 3}) {
        if (k.dilation_h != 1) continue;
        const std::vector<int64_t> attributes = {
            k.kh, k.kw, k.stride_h, k.stride_w, k.pad_h, k.pad_w, count_pad, divisor, 0};
        auto x = random_array<double>({1, 2, k.h, k.w}, 1);
        auto dy = random_array<double>({1, 2, k.oh, k.ow}, 2);
        Array<double> y({1, 2, k.oh, k.ow}), dx({1, 2, k.h, k.w});
        run(ComputeOp::avg_pool2d, {x.view()}, {y.view()}, attributes);
        run(ComputeOp::avg_pool2d_backward, {dy.view()}, {dx.view()}, attributes);
        std::vector<double> expected_dx(dx.values.size());
        for (int64_t out = 0; out < 2 * k.oh * k.ow; ++out) {
          const int64_t plane = out / (k.oh * k.ow), i = out / k.ow % k.oh, j = out % k.ow;
          std::vector<int64_t> places;
          int64_t padded = 0;
          for (int64_t a = 0; a < k.kh; ++a)
            for (int64_t b = 0; b < k.kw; ++b) {
              const int64_t r = i * k.stride_h - k.pad_h + a, c = j * k.stride_w - k.pad_w + b;
              padded += r < k.h + k.pad_h && c < k.w + k.pad_w;
              if (r >= 0 && r < k.h && c >= 0 && c < k.w)
                places.push_back((plane * k.h + r) * k.w + c);
            }
          const double by = divisor     ? static_cast<double>(divisor)
                            : count_pad ? static_cast<double>(padded)
                                        : static_cast<double>(places.size());
          double sum = 0;
          for (int64_t place : places) {
            sum += x.values[place];
            expected_dx[place] += dy.values[out] / by;
          }
          REQUIRE(y.values[out] == Approx(sum / by).margin(1e-12));
        }
        for (size_t i = 0; i < expected_dx.size(); ++i)
          REQUIRE(dx.values[i] == Approx(expected_dx[i]).margin(1e-12));
      }
}

TEST_CASE("pools of planes that lie channels last have the bits of plain ones", "[cpu]") {
  for (const PoolCase& k : kPoolCases) {
    auto x = random_array<float>({2, 3, k.h, k.w}, 1),
         dy = random_array<float>({2, 3, k.oh, k.ow}, 2);
    Array<float> values(dy.shape), means(dy.shape), dx(x.shape), spread(x.shape);
    Array<int64_t> positions(dy.shape);
    auto last_x = turned(x), last_dy = turned(dy), last_values = turned(values),
         last_means = turned(means), last_dx = turned(dx), last_spread = turned(spread);
    auto last_positions = turned(positions);
    auto attributes = max_attributes(k);
    const auto run_all = [&](auto& x, auto& dy, auto& values, auto& positions, auto& dx,
                             auto& means, auto& spread) {
      run(ComputeOp::max_pool2d, {x.view()}, {values.view(), positions.view()}, attributes);
      run(ComputeOp::max_pool2d_backward, {dy.view(), positions.view()}, {dx.view()}, attributes);
      if (k.dilation_h != 1) return;
      run(ComputeOp::avg_pool2d, {x.view()}, {means.view()}, attributes);
      run(ComputeOp::avg_pool2d_backward, {dy.view()}, {spread.view()}, attributes);
    };
    run_all(x, dy, values, positions, dx, means, spread);
    attributes.back() = 1;
    run_all(last_x, last_dy, last_values, last_positions, last_dx, last_means, last_spread);
    CHECK(turned(last_values, true).values == values.values);
    CHECK(turned(last_positions, true).values == positions.values);
    CHECK(turned(last_dx, true).values == dx.values);
    CHECK(turned(last_means, true).values == means.values);
    CHECK(turned(last_spread, true).values == spread.values);
  }
}
