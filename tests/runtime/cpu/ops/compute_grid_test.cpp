// The taps of grids against plain loops.
#include <catch2/catch.hpp>
#include <cmath>

#include "runtime/ir/grid_mode.h"
#include "tests/runtime/cpu/ops/compute_runner.h"

using namespace tide;
using namespace tide::test;

namespace {

/// 0..size - 1, as align_corners counts, with nothing done about places outside.
double place_of(double coordinate, int64_t size) {
  return (coordinate + 1) * static_cast<double>(size - 1) / 2;
}

}  // namespace

TEMPLATE_TEST_CASE("taps of a plane are the four pixels around each place", "[cpu]", float,
                   double) {
  using T = TestType;
  const int64_t samples = 2, places = 300, height = 5, width = 7;
  auto grid = random_array<T>({samples, places, 2}, 1);
  for (T& coordinate : grid.values) coordinate *= T(1.5);
  grid.values[5] = std::numeric_limits<T>::quiet_NaN();
  grid.values[8] = std::numeric_limits<T>::infinity();
  Array<int32_t> positions({samples, 4, places});
  Array<T> weights({samples, 4, places});
  run(ComputeOp::grid_taps, {grid.view()}, {positions.view(), weights.view()},
      {static_cast<int64_t>(GridMode::bilinear), static_cast<int64_t>(GridPadding::zeros), 1,
       height, width},
      1);
  for (int64_t i = 0; i < samples * places; ++i) {
    const double x = place_of(grid.values[2 * i], width);
    const double y = place_of(grid.values[2 * i + 1], height);
    for (int64_t tap = 0; tap < 4; ++tap) {
      const int64_t at = (i / places * 4 + tap) * places + i % places;
      const double left = std::floor(x) + static_cast<double>(tap % 2);
      const double top = std::floor(y) + static_cast<double>(tap / 2);
      const bool inside = left >= 0 && left < width && top >= 0 && top < height;
      const auto pixel = static_cast<int32_t>(top * width + left) + 1;
      REQUIRE(positions.values[at] == (inside ? pixel : 0));
      if (!inside) continue;
      const double weight = (1 - std::abs(x - left)) * (1 - std::abs(y - top));
      REQUIRE(weights.values[at] == Approx(weight).margin(sizeof(T) == 4 ? 2e-6 : 1e-14));
    }
  }
}

TEMPLATE_TEST_CASE("taps and their gradients do not depend on the number of threads", "[cpu]",
                   float, double) {
  using T = TestType;
  for (const GridMode mode : {GridMode::bilinear, GridMode::bicubic})
    for (const GridPadding padding :
         {GridPadding::zeros, GridPadding::border, GridPadding::reflection}) {
      const int64_t taps = mode == GridMode::bilinear ? 4 : 16, places = 1000;
      auto grid = random_array<T>({3, places, 2}, 1), dy = random_array<T>({3, taps, places}, 2);
      const std::vector<int64_t> attributes{static_cast<int64_t>(mode),
                                            static_cast<int64_t>(padding), 0, 5, 7};
      Array<int32_t> positions[2] = {Array<int32_t>({3, taps, places}),
                                     Array<int32_t>({3, taps, places})};
      Array<T> weights[2] = {Array<T>({3, taps, places}), Array<T>({3, taps, places})};
      Array<T> gradients[2] = {Array<T>({3, places, 2}), Array<T>({3, places, 2})};
      for (int k = 0; k < 2; ++k) {
        const int threads = 1 + 2 * k;
        run(ComputeOp::grid_taps, {grid.view()}, {positions[k].view(), weights[k].view()},
            attributes, threads);
        run(ComputeOp::grid_taps_backward, {dy.view(), grid.view()}, {gradients[k].view()},
            attributes, threads);
      }
      CHECK(same_bits(positions[0].values, positions[1].values));
      CHECK(same_bits(weights[0].values, weights[1].values));
      CHECK(same_bits(gradients[0].values, gradients[1].values));
    }
}
