// The work of steps that one thread of the host does.
#include "runtime/device/small_work.h"

#include "tests/support/catch.h"

using namespace tide;

TEST_CASE("the work of a small product follows from its sizes", "[device]") {
  const auto work_of = [](const Shape& a, const Shape& b, const Shape& c) {
    ComputeStep step;
    step.op = ComputeOp::matmul;
    for (const Shape& shape : {a, b}) {
      step.inputs.emplace_back();
      step.inputs.back().layout = Layout(shape);
    }
    step.outputs.emplace_back();
    step.outputs.back().layout = Layout(c);
    return small_work(step);
  };
  CHECK(work_of({1, 1}, {1, 1}, {1, 1}) == 1);
  CHECK(work_of({8, 16}, {16, 4}, {8, 4}) == 8 * 4 * 16 / 8);
  CHECK(work_of({5, 8, 16}, {5, 16, 4}, {5, 8, 4}) == 5 * 8 * 4 * 16 / 8);
  CHECK(work_of({256, 128}, {128, 128}, {256, 128}) == 1 << 19);
  CHECK(work_of({256, 128}, {128, 129}, {256, 129}) == 0);
}
