// Sampling at the places of a grid, and its gradients, against plain loops.
#include <cmath>

#include "runtime/backward/backward.h"
#include "runtime/ir/grid_mode.h"
#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

using namespace tide;
using namespace tide::test;

namespace {

constexpr GridMode kModes[] = {GridMode::bilinear, GridMode::nearest, GridMode::bicubic};
constexpr GridPadding kPaddings[] = {GridPadding::zeros, GridPadding::border,
                                     GridPadding::reflection};

std::vector<int64_t> attributes_of(GridMode mode, GridPadding padding, int64_t height,
                                   int64_t width) {
  return {static_cast<int64_t>(mode), static_cast<int64_t>(padding), 1, height, width, 0};
}

/// 0..size - 1, as align_corners counts, with nothing done about places outside.
double place_of(double coordinate, int64_t size) {
  return (coordinate + 1) * static_cast<double>(size - 1) / 2;
}

/// A bilinear tap of a place, with zeros outside: the pixel from 0, or -1; the weight, and how it
/// changes with the two coordinates.
struct Tap {
  int64_t pixel;
  double weight, slope_x, slope_y;
};

std::vector<Tap> taps_of(double grid_x, double grid_y, int64_t height, int64_t width) {
  const double x = place_of(grid_x, width), y = place_of(grid_y, height);
  std::vector<Tap> taps;
  for (int tap = 0; tap < 4; ++tap) {
    const double left = std::floor(x) + tap % 2, top = std::floor(y) + tap / 2;
    const bool inside = left >= 0 && left < static_cast<double>(width) && top >= 0 &&
                        top < static_cast<double>(height);
    const double share_x = 1 - std::abs(x - left), share_y = 1 - std::abs(y - top);
    const double slope_x = static_cast<double>(width - 1) / 2 * (tap % 2 ? 1 : -1);
    const double slope_y = static_cast<double>(height - 1) / 2 * (tap / 2 ? 1 : -1);
    taps.push_back({inside ? static_cast<int64_t>(top) * width + static_cast<int64_t>(left) : -1,
                    share_x * share_y, slope_x * share_y, slope_y * share_x});
  }
  return taps;
}

/// Compares what is computed for all planes with what is computed for each alone.
template <class T>
void check_planes(int64_t channels, int64_t height, int64_t width, int64_t places) {
  CAPTURE(channels);
  for (const GridMode mode : kModes)
    for (const GridPadding padding : kPaddings) {
      auto x = random_array<T>({1, channels, height * width}, 1);
      auto grid = random_array<T>({1, places, 2}, 2);
      for (T& coordinate : grid.values) coordinate *= T(1.5);
      grid.values[5] = std::numeric_limits<T>::quiet_NaN();
      grid.values[8] = std::numeric_limits<T>::infinity();
      auto dy = random_array<T>({1, channels, places}, 3);
      Array<T> y(dy.shape), dx(x.shape);
      const auto attributes = attributes_of(mode, padding, height, width);
      auto first = attributes;
      first.insert(first.begin(), {1, 0});
      run(ComputeOp::grid_sample, {x.view(), grid.view()}, {y.view()}, attributes, 2);
      run(ComputeOp::grid_sample_backward, {dy.view(), x.view(), grid.view()}, {dx.view()}, first,
          2);
      for (int64_t c = 0; c < channels; ++c) {
        const auto plane_of = [c](const Array<T>& all) {
          const int64_t n = all.shape[2];
          const auto from = all.values.begin() + c * n;
          return Array<T>({1, 1, n}, std::vector<T>(from, from + n));
        };
        auto own_x = plane_of(x), own_dy = plane_of(dy);
        Array<T> own_y(own_dy.shape), own_dx(own_x.shape);
        run(ComputeOp::grid_sample, {own_x.view(), grid.view()}, {own_y.view()}, attributes, 1);
        run(ComputeOp::grid_sample_backward, {own_dy.view(), own_x.view(), grid.view()},
            {own_dx.view()}, first, 1);
        // Of a nan the bits do not count.
        const auto plain = [](Array<T> all) {
          for (T& value : all.values)
            if (value != value) value = T(7);
          return all.values;
        };
        REQUIRE(same_bits(plain(own_y), plain(plane_of(y))));
        REQUIRE(same_bits(plain(own_dx), plain(plane_of(dx))));
      }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("planes sampled and their gradients are those of plain loops", "[cpu]", float,
                   double) {
  using T = TestType;
  const int64_t samples = 2;
  // Few channels, or few places for many pixels, go by rows, all else by turned pixels.
  const int64_t channels = GENERATE(1, 2, 3, 4, 5, 8, 9, 16, 19, 33);
  const int64_t places = GENERATE(1, 17, 300);
  const int64_t height = GENERATE(1, 5), width = 7, size = height * width;
  CAPTURE(channels, places, height);
  auto x = random_array<T>({samples, channels, size}, 1);
  auto grid = random_array<T>({samples, places, 2}, 2);
  for (T& coordinate : grid.values) coordinate *= T(1.5);
  auto dy = random_array<T>({samples, channels, places}, 3);
  Array<T> y(dy.shape), dx(x.shape), dgrid(grid.shape);
  const auto attributes = attributes_of(GridMode::bilinear, GridPadding::zeros, height, width);
  auto both = attributes;
  both.insert(both.begin(), {1, 1});
  run(ComputeOp::grid_sample, {x.view(), grid.view()}, {y.view()}, attributes, 2);
  run(ComputeOp::grid_sample_backward, {dy.view(), x.view(), grid.view()},
      {dx.view(), dgrid.view()}, both, 2);

  std::vector<double> slopes(x.values.size());
  const double tolerance = sizeof(T) == 4 ? 1e-5 * static_cast<double>(channels + 4) : 1e-12;
  for (int64_t i = 0; i < samples * places; ++i) {
    const int64_t sample = i / places, p = i % places;
    double slope_x = 0, slope_y = 0;
    for (const Tap& tap : taps_of(grid.values[2 * i], grid.values[2 * i + 1], height, width)) {
      if (tap.pixel < 0) continue;
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t plane = sample * channels + c;
        const double value = x.values[plane * size + tap.pixel];
        const double rise = dy.values[plane * places + p];
        slopes[plane * size + tap.pixel] += rise * tap.weight;
        slope_x += rise * value * tap.slope_x;
        slope_y += rise * value * tap.slope_y;
      }
    }
    REQUIRE(dgrid.values[2 * i] == Approx(slope_x).margin(tolerance));
    REQUIRE(dgrid.values[2 * i + 1] == Approx(slope_y).margin(tolerance));
    for (int64_t c = 0; c < channels; ++c) {
      double sum = 0;
      const int64_t plane = sample * channels + c;
      for (const Tap& tap : taps_of(grid.values[2 * i], grid.values[2 * i + 1], height, width))
        if (tap.pixel >= 0) sum += x.values[plane * size + tap.pixel] * tap.weight;
      REQUIRE(y.values[plane * places + p] == Approx(sum).margin(tolerance));
    }
  }
  for (size_t i = 0; i < slopes.size(); ++i)
    REQUIRE(dx.values[i] == Approx(slopes[i]).margin(10 * tolerance));
}

TEMPLATE_TEST_CASE("each plane's samples and gradient have the bits that it has alone", "[cpu]",
                   float, double) {
  check_planes<TestType>(GENERATE(3, 5, 8, 13, 16, 25), 5, 7, 260);
}

TEMPLATE_TEST_CASE("large planes' samples and gradients have the bits that each has alone",
                   "[cpu][reference]", float, double) {
  // More than the first cache holds.
  check_planes<TestType>(GENERATE(3, 5, 8, 13, 16, 25), 120, 90, 11000);
}

TEMPLATE_TEST_CASE("samples and their gradients do not depend on the number of threads", "[cpu]",
                   float, double) {
  using T = TestType;
  const int64_t channels = GENERATE(2, 6, 32);
  for (const GridMode mode : kModes)
    for (const GridPadding padding : kPaddings) {
      const int64_t places = 1000;
      auto x = random_array<T>({3, channels, 35}, 3);
      auto grid = random_array<T>({3, places, 2}, 1);
      auto dy = random_array<T>({3, channels, places}, 2);
      const auto attributes = attributes_of(mode, padding, 5, 7);
      auto both = attributes;
      both.insert(both.begin(), {1, 1});
      std::vector<Array<T>> results[2];
      for (int k = 0; k < 2; ++k) {
        const int threads = 1 + 2 * k;
        Array<T> y(dy.shape), dx(x.shape), dgrid(grid.shape);
        run(ComputeOp::grid_sample, {x.view(), grid.view()}, {y.view()}, attributes, threads);
        run(ComputeOp::grid_sample_backward, {dy.view(), x.view(), grid.view()},
            {dx.view(), dgrid.view()}, both, threads);
        results[k] = {y, dx, dgrid};
      }
      for (size_t i = 0; i < 3; ++i) CHECK(same_bits(results[0][i].values, results[1][i].values));
    }
}

TEST_CASE("each gradient of a sampling alone is that beside the other", "[cpu]") {
  auto x = random_array<float>({2, 3, 35}, 1), grid = random_array<float>({2, 40, 2}, 2),
       dy = random_array<float>({2, 3, 40}, 3);
  Array<float> dx(x.shape), dgrid(grid.shape), only_dx(x.shape), only_dgrid(grid.shape);
  const auto backward = [&](int64_t of_x, int64_t of_grid, std::vector<ArrayView> outputs) {
    auto attributes = attributes_of(GridMode::bilinear, GridPadding::border, 5, 7);
    attributes.insert(attributes.begin(), {of_x, of_grid});
    run(ComputeOp::grid_sample_backward, {dy.view(), x.view(), grid.view()}, outputs, attributes,
        1);
  };
  backward(1, 1, {dx.view(), dgrid.view()});
  backward(1, 0, {only_dx.view()});
  backward(0, 1, {only_dgrid.view()});
  CHECK(same_bits(dx.values, only_dx.values));
  CHECK(same_bits(dgrid.values, only_dgrid.values));
}

TEST_CASE("a sampling of nothing leaves zeros", "[cpu]") {
  Array<float> x({2, 3, 35}), grid(Shape{2, 0, 2}), dy(Shape{2, 3, 0}), dx({2, 3, 35}),
      dgrid(Shape{2, 0, 2});
  dx.values.assign(dx.values.size(), 1.0f);
  auto attributes = attributes_of(GridMode::bilinear, GridPadding::zeros, 5, 7);
  attributes.insert(attributes.begin(), {1, 1});
  run(ComputeOp::grid_sample_backward, {dy.view(), x.view(), grid.view()},
      {dx.view(), dgrid.view()}, attributes, 2);
  CHECK(dx.values == std::vector<float>(dx.values.size(), 0.0f));
}
