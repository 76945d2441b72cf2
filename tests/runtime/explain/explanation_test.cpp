// What explanations see of windows, and what they leave as it is.
#include "runtime/explain/explanation.h"

#include "runtime/explain/capture.h"
#include "runtime/explain/loop_source.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/types/error.h"
#include "tests/runtime/execute/work.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;
using test::values;
using test::work_of;

namespace {

/// A tensor that lies in memory.
Tensor stored(const Shape& shape) {
  return test::tensor(std::vector<float>(static_cast<size_t>(shape.numel()), 2), shape);
}

}  // namespace

TEST_CASE("an explained window has the steps that run", "[explain]") {
  const Tensor x = stored({64, 64});
  Capture capture;
  Tensor y;
  const auto work = work_of([&] {
    y = sum(matmul(x + 1, x) * 2, Dims{0});
    y = y + sum(x, Dims{1});
  });
  size_t steps = 0;
  for (const ExplainedWindow& window : capture.windows()) steps += window.steps.size();
  CHECK(static_cast<int64_t>(capture.windows().size()) == work.windows);
  CHECK(static_cast<int64_t>(steps) == work.launches);
}

TEST_CASE("explaining takes and keeps no memory", "[explain]") {
  const Tensor x = stored({1000});
  const auto code = [&] { values(sum(x * 2 + 1)); };
  const auto before = work_of(code);
  Capture capture;
  const auto explained = work_of(code);
  CHECK(explained.blocks == before.blocks);
  CHECK(explained.held == 0);
  CHECK(explained.peak == before.peak);
}

TEST_CASE("what is recorded is explained and stays recorded", "[explain]") {
  const Tensor x = stored({8});
  engine::synchronize();
  CHECK_FALSE(explain_recorded(Device{}));
  const Tensor y = x + 1;
  const auto window = explain_recorded(Device{});
  REQUIRE(window);
  CHECK(window->steps.size() == 1);
  CHECK(engine::pending_ops() == 1);
  CHECK(values(y)[0] == 3);
}

TEST_CASE("a value has one number wherever it is read and written", "[explain]") {
  const Tensor x = stored({8});
  Capture capture;
  const Tensor y = x + 1;
  engine::flush();
  const Tensor z = y * 2;
  engine::flush();
  REQUIRE(capture.windows().size() == 2);
  const ExplainedStep& first = capture.windows()[0].steps[0];
  const ExplainedStep& second = capture.windows()[1].steps[0];
  CHECK(first.writes[0].number == second.reads[0].number);
  CHECK(first.reads[0].number != first.writes[0].number);
}

TEST_CASE("a value that took a dead one's place has a number of its own", "[explain]") {
  Capture capture;
  for (int i = 0; i < 3; ++i) {
    const Tensor x = stored({8});
    values(x + 1);
  }
  std::vector<uint64_t> read;
  for (const ExplainedWindow& window : capture.windows())
    read.push_back(window.steps[0].reads[0].number);
  REQUIRE(read.size() == 3);
  CHECK(read[0] != read[1]);
  CHECK(read[1] != read[2]);
  CHECK(read[0] != read[2]);
}

TEST_CASE("there is one capture at a time on a thread", "[explain]") {
  {
    const Capture capture;
    CHECK_THROWS_AS(Capture(), Error);
  }
  CHECK_NOTHROW(Capture());
}
