// The positions of true elements, against a loop over all elements.
#include <random>

#include "tests/runtime/cpu/ops/compute_runner.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

TEST_CASE("nonzero gives the positions of the true elements in order", "[cpu]") {
  std::mt19937 random(5);
  for (const Shape& shape : {Shape{7}, Shape{100000}, Shape{3, 5}, Shape{1, 70001}, Shape{70001, 1},
                             Shape{40, 3, 1000}, Shape{2, 3, 5, 7}}) {
    for (const int percent : {0, 1, 50, 100}) {
      CAPTURE(shape.text(), percent);
      Array<uint8_t> mask(shape);
      std::vector<int64_t> expected;
      for (int64_t i = 0; i < shape.numel(); ++i) {
        mask.values[static_cast<size_t>(i)] = static_cast<int>(random() % 100) < percent;
        if (!mask.values[static_cast<size_t>(i)]) continue;
        const size_t start = expected.size();
        for (int64_t d = shape.rank() - 1, rest = i; d >= 0; rest /= shape[static_cast<int>(d--)])
          expected.insert(expected.begin() + static_cast<ptrdiff_t>(start),
                          rest % shape[static_cast<int>(d)] + 1);
      }
      Array<int64_t> positions(
          {static_cast<int64_t>(expected.size()) / shape.rank(), shape.rank()});
      run(ComputeOp::nonzero, {mask.view()}, {positions.view()}, {});
      CHECK(positions.values == expected);
    }
  }
}

}  // namespace
}  // namespace tide::test
