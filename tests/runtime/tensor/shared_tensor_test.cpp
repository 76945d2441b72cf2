// Values shared between threads that record: right for all of them, whichever thread writes or ends
// first.
#include "runtime/tensor/shared_tensor.h"

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/record.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;

namespace {

constexpr int64_t kElements = 3000;

/// What each thread makes of a value: `steps` in place, of which others must see nothing.
double work(const SharedTensor& shared, int steps) {
  const Tensor x = shared.tensor();
  for (int i = 0; i < steps; ++i) {
    record_write("add_", x, x + 1);
    if (i % 3 == 0) engine::flush();
  }
  const Tensor total = sum(x * 2);
  double result;
  convert(total, DType::f64).read(&result, "test");
  return result;
}

}  // namespace

TEST_CASE("threads that share a value write to copies of their own", "[tensor]") {
  const Device device = GENERATE(Device{}, Device{DeviceKind::sim, 0});
  const Tensor x = full({kElements}, Number(1.0), {.dtype = DType::f32, .device = device});
  const SharedTensor shared(x);
  std::vector<double> results(4);
  {
    std::vector<std::thread> threads;
    for (size_t t = 0; t < results.size(); ++t)
      threads.emplace_back([&, t] {
        for (int round = 0; round < 20; ++round) results[t] = work(shared, static_cast<int>(t));
      });
    record_write("add_", x, x + 5);
    for (std::thread& thread : threads) thread.join();
  }
  for (size_t t = 0; t < results.size(); ++t)
    CHECK(results[t] == 2.0 * kElements * (1.0 + static_cast<double>(t)));
  CHECK(test::values(x) == std::vector<double>(kElements, 6.0));
}

TEST_CASE("a value outlives the thread that computed it", "[tensor]") {
  std::optional<SharedTensor> shared;
  std::thread([&] {
    Tensor x = arange_to(kElements, {.dtype = DType::f32, .device = Device{}});
    for (int i = 0; i < 10; ++i) x = x + 1;
    shared.emplace(transpose(reshape_to(x, Shape{kElements / 10, 10}), Dim{0}, Dim{1}));
  }).join();
  const Tensor x = shared->tensor();
  REQUIRE(x.shape() == Shape{10, kElements / 10});
  const auto values = test::values(x);
  CHECK(values[0] == 10);
  CHECK(values[1] == 20);
  CHECK(values.back() == kElements + 9);
}
