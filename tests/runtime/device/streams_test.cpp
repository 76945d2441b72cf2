// Streams: order between them, blocks that they share, and what holds for all of a device at once.

#include "runtime/autograd/autograd.h"
#include "runtime/device/sim_options.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/write.h"
#include "runtime/record/recorder.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"
#include "tests/runtime/device/on_stream.h"
#include "tests/runtime/execute/work.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;
using test::OnStream;
using test::Values;
using test::values;

namespace {

const Device kCpu{}, kSim{DeviceKind::sim, 1};

/// Launches on the simulated device that take this many seconds.
class LaunchCost {
 public:
  explicit LaunchCost(double seconds) { set(seconds); }
  ~LaunchCost() { set(0); }
  LaunchCost(const LaunchCost&) = delete;

 private:
  static void set(double seconds) {
    SimOptions options;
    options.launch_cost = seconds;
    engine::configure_sim(1, options);
  }
};

Tensor filled(double number, Device device = kSim) {
  return full({1000}, number, {.dtype = {}, .device = device});
}

}  // namespace

TEST_CASE("a value is ready for any stream that uses it", "[device]") {
  const Device device = GENERATE(kCpu, kSim);
  const LaunchCost slow(device == kSim ? 1e-3 : 0);
  const engine::StreamId streams[] = {
      engine::add_stream(device), engine::add_stream(device), {device, 0}};
  Tensor x = filled(1, device);
  for (int i = 0; i < 30; ++i) {
    const OnStream on(streams[i % 3]);
    x = cumsum(x, Dim{0}) * 0 + x + 1;
  }
  CHECK(values(x)[999] == 31);
}

TEST_CASE("what another stream reads is neither written over nor handed out", "[device]") {
  const LaunchCost slow(2e-3);
  const engine::StreamId other = engine::add_stream(kSim);
  Tensor x = filled(5), sums;
  engine::synchronize();
  {
    const OnStream on(other);
    for (int i = 0; i < 5; ++i) sums = cumsum(x, Dim{0});
    engine::flush();
  }
  write("fill_", x, 1.0);
  x = Tensor();
  const Tensor next = filled(7);
  engine::flush();
  CHECK(values(sums)[999] == 5000);
  CHECK(values(next)[0] == 7);
}

TEST_CASE("memory is reclaimed from blocks that another stream has read", "[device]") {
  constexpr int64_t kMegabyte = 1 << 18;  // elements
  const auto stored = [](int64_t elements, float number) {
    const std::vector<float> numbers(static_cast<size_t>(elements), number);
    return record_constant(numbers.data(), {elements}, DType::f32, kSim);
  };
  const engine::StreamId other = engine::add_stream(kSim);
  const auto limit = [](size_t bytes) {
    engine::empty_cache(kSim);
    SimOptions options;
    options.memory_limit = bytes;
    engine::configure_sim(1, options);
  };
  engine::synchronize();
  limit(size_t{8} << 20);
  {
    const LaunchCost slow(0.1);
    Tensor x = stored(4 * kMegabyte, 2), total;
    {
      const OnStream on(other);
      total = sum(x);
      engine::flush();
    }
    x = Tensor();  // four of eight megabytes are free when the other stream has come to the sum
    const Tensor y = stored(6 * kMegabyte, 3);
    CHECK(values(sum(y))[0] == 18.0 * kMegabyte);
    CHECK(values(total)[0] == 8.0 * kMegabyte);
  }
  limit(size_t{1} << 30);
}

TEST_CASE("a stream writes in place what it alone holds", "[device]") {
  const OnStream on(engine::add_stream(kSim));
  Tensor x = filled(1);
  engine::synchronize();
  CHECK(test::work_of([&] { x = x * 2; }, kSim).blocks == 0);
  CHECK(values(x)[0] == 2);
}

TEST_CASE("a value that was sent away is given up once it has arrived", "[device]") {
  engine::synchronize();
  const size_t before = engine::memory(kSim).in_use;
  Tensor away;
  {
    const Tensor x = filled(3);
    away = record_transfer(x, kCpu);
    CHECK(values(away)[0] == 3);
    CHECK(engine::memory(kSim).in_use > before);
  }
  CHECK(engine::memory(kSim).in_use == before);
}

TEST_CASE("a synchronized device has no stream at work", "[device]") {
  const LaunchCost slow(2e-3);
  const engine::StreamId other = engine::add_stream(kSim);
  Tensor x;
  {
    const OnStream on(other);
    for (int i = 0; i < 5; ++i) x = cumsum(filled(i), Dim{0});
  }
  engine::Mark end = engine::mark(other);
  engine::synchronize(kSim);
  CHECK(engine::reached(end));
  CHECK(engine::idle(other));
}

TEST_CASE("an interrupt drops what all streams have", "[device]") {
  const Tensor x = filled(1);
  engine::synchronize();
  const engine::StreamId other = engine::add_stream(kSim);
  {
    const LaunchCost slow(5e-3);
    for (int i = 0; i < 100; ++i) {
      if (i % 2) {
        const OnStream on(other);
        write("add_", x, x + 1);
      } else {
        write("add_", x, x + 1);
      }
      engine::flush();
    }
    engine::interrupt();
  }
  const double value = values(x)[0];
  CHECK(value < 101);
  write("add_", x, x + 1);
  CHECK(values(x)[0] == value + 1);
}

TEST_CASE("streams may wait for each other's marks", "[device]") {
  const engine::StreamId a = engine::add_stream(kSim), b = engine::add_stream(kSim);
  for (int i = 0; i < 50; ++i) {
    engine::wait_on_stream(b, engine::mark(a));
    engine::wait_on_stream(a, engine::mark(b));
    engine::wait_on_stream({kCpu, 0}, engine::mark(b));
    engine::wait_on_stream(a, engine::mark({kCpu, 0}));
  }
  engine::wait(engine::mark(a), "test");
  engine::wait(engine::mark(b), "test");
  CHECK(engine::idle(a));
}
