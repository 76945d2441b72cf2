// Which loops of a window one launch may serve, and that nothing is put before what it needs.
#include "runtime/plan/batching.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "tests/runtime/ops/values.h"
#include "tests/runtime/plan/plan_of.h"
#include "tests/support/catch.h"

using namespace tide;

namespace {

Tensor array_of(int64_t size) {
  return test::tensor(std::vector<float>(static_cast<size_t>(size), 1.0f), Shape{size});
}

std::vector<Tensor> arrays_of(std::initializer_list<int64_t> sizes) {
  std::vector<Tensor> made;
  for (const int64_t size : sizes) made.push_back(array_of(size));
  return made;
}

/// The loops of each batch, in the order of the steps: "AAAA.B": a letter per batch, a point for
/// none.
std::string batches_of(const Plan& plan) {
  std::string text;
  for (const Step& step : plan.steps)
    if (step.kind == Step::Kind::loop)
      text += step.batch ? static_cast<char>('A' + step.batch - 1) : '.';
  return text;
}

/// Whether each step comes after those that make what it reads.
bool is_ordered(const Plan& plan) {
  std::map<uint32_t, size_t> made;
  for (size_t s = 0; s < plan.steps.size(); ++s)
    for (const uint16_t output : plan.steps[s].outputs) made.try_emplace(output, s);
  for (size_t s = 0; s < plan.steps.size(); ++s)
    for (size_t i = 0; i < plan.steps[s].buffers.size(); ++i) {
      const BufferUse& use = plan.steps[s].buffers[i];
      if (use.source == BufferUse::Source::node && plan.steps[s].is_read(i) &&
          made.at(use.index) >= s)
        return false;
    }
  return true;
}

}  // namespace

TEST_CASE("four loops of one kernel are a batch, whatever their sizes", "[plan]") {
  const std::vector<Tensor> x = arrays_of({3, 1000, 64, 5000});
  std::vector<Tensor> y(4);
  const auto record = [&](size_t count) {
    return [&, count] {
      for (size_t i = 0; i < count; ++i) y[i] = x[i] * 2 + 1;
    };
  };
  CHECK(batches_of(*test::plan_of(record(4))) == "AAAA");
  CHECK(batches_of(*test::plan_of(record(3))) == "...");
}

TEST_CASE("loops of a kernel become neighbours where they do not need each other", "[plan]") {
  const std::vector<Tensor> x = arrays_of({64, 64, 64, 64}), w = arrays_of({8, 16, 24, 32});
  std::vector<Tensor> y(4), z(4);
  Ref<Plan> plan = test::plan_of([&] {
    for (size_t i = 0; i < 4; ++i) {
      y[i] = sum(x[i]);
      z[i] = exp(w[i]);
    }
  });
  CHECK(batches_of(*plan) == "AAAABBBB");
  // What four loops make, four others read.
  plan = test::plan_of([&] {
    for (size_t i = 0; i < 4; ++i) {
      y[i] = sum(x[i]);
      z[i] = exp(w[i]) * y[i];
    }
  });
  CHECK(batches_of(*plan) == "AAAABBBB");
  CHECK(is_ordered(*plan));
}

TEST_CASE("a loop stays after what it needs", "[plan]") {
  std::vector<Tensor> y(5);
  const Tensor x = array_of(64);
  const Ref<Plan> plan = test::plan_of([&] {
    Tensor last = x;
    for (Tensor& each : y) last = each = cumsum(last, Dim{0}) * 2 + 1;
  });
  CHECK(batches_of(*plan) == ".....");
  CHECK(is_ordered(*plan));
}

TEST_CASE("a loop that takes over what another one reads is in a later batch", "[plan]") {
  const std::vector<Tensor> x = arrays_of({8, 16, 24, 32, 40, 48, 56, 64, 72});
  std::vector<Tensor> y(x.size());
  const auto record = [&] {
    for (size_t i = 0; i < x.size(); ++i) y[i] = x[i] * 2 + 1;
  };
  const auto batches_with = [&](const std::function<void(std::vector<Step>&)>& change) {
    return batches_of(*test::plan_of(record, [&](WindowView view) {
      view.batches = false;
      Ref<Plan> plan = make_plan(view);
      change(plan->steps);
      batch_steps(view, *plan);
      return plan;
    }));
  };
  CHECK(batches_with([](auto&) {}) == "AAAAAAAAA");
  const auto input_of = [](const Step& step) { return step.buffers[0]; };
  // Steps move forward, so those after it may join it, too.
  CHECK(batches_with([&](auto& steps) {
          REQUIRE(input_of(steps[0]).source == BufferUse::Source::external);
          steps[4].reuses = {{steps[4].outputs[0], input_of(steps[0])}};
        }) == "AAAABBBBB");
  CHECK(batches_with([&](auto& steps) {
          steps[4].fallbacks = {{steps[4].outputs[0], input_of(steps[4]), 8, false}};
          steps[5].reuses = {{steps[5].outputs[0], input_of(steps[4])}};
        }) == "AAAAABBBB");
}

TEST_CASE("the parts of a value that is put together are a batch", "[plan]") {
  std::vector<Tensor> parts = arrays_of({1, 1, 1, 1, 1, 1});
  Tensor y;
  CHECK(batches_of(*test::plan_of([&] { y = stack(parts); })) == "AAAAAA");
  CHECK(batches_of(*test::plan_of([&] { y = cat(parts); })) == "AAAAAA");
}

TEST_CASE("writes to parts of a value of the script keep their order", "[plan]") {
  const Tensor x = array_of(64), y = array_of(8);
  const Ref<Plan> plan = test::plan_of([&] {
    for (int64_t i = 0; i < 5; ++i) record_write("[]=", slice(x, 0, 8 * i, 8), y);
  });
  CHECK(batches_of(*plan) == ".....");
  CHECK(is_ordered(*plan));
}

TEST_CASE("a batch makes temporary results of 32 MB at most", "[plan]") {
  const auto batches_over = [](int64_t size) {
    const std::vector<Tensor> x = arrays_of({size, size, size, size, size});
    std::vector<Tensor> y(5);
    const Ref<Plan> plan = test::plan_of([&] {
      for (size_t i = 0; i < 5; ++i) y[i] = cumsum(exp(x[i]) - 1, Dim{0});
    });
    CHECK(is_ordered(*plan));
    return batches_of(*plan);
  };
  CHECK(batches_over(1000) == "AAAAA");
  // Two of them fit at a time, which is too few for a batch.
  CHECK(batches_over(3 << 20) == ".....");
}

TEST_CASE("what a batch needs for a time is released after its last loop", "[plan]") {
  const std::vector<Tensor> x = arrays_of({100000, 100000, 100000, 100000});
  std::vector<Tensor> y(4);
  const Ref<Plan> plan = test::plan_of([&] {
    for (size_t i = 0; i < 4; ++i) {
      const Tensor wide = exp(x[i]);
      y[i] = sum(wide) + sum(wide * x[i]);
    }
  });
  for (size_t s = 0; s + 1 < plan->steps.size(); ++s) {
    const bool goes_on = plan->steps[s].batch && plan->steps[s].batch == plan->steps[s + 1].batch;
    if (goes_on) CHECK(plan->steps[s].releases.empty());
  }
  CHECK(is_ordered(*plan));
}
