// Values that the host supplies: right while the queue is at work, and gone if they cannot be made.
#include "runtime/tensor/transfer.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>

#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/record/device_state.h"
#include "runtime/record/engine.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;

namespace {

constexpr int64_t kTransferred = 1 << 20;

void fill_with(std::span<std::byte> target, float value) {
  auto* const numbers = reinterpret_cast<float*>(target.data());
  std::fill_n(numbers, target.size() / sizeof(float), value);
}

bool holds(const Tensor& x, double value) {
  const std::vector<double> all = test::values(x);
  return std::count(all.begin(), all.end(), value) == kTransferred;
}

Tensor filled(Device device, float value) {
  return record_filled({kTransferred}, DType::f32, device,
                       [&](std::span<std::byte> target) { fill_with(target, value); });
}

/// Keeps the first queue of a device from going on until it ends.
class HeldQueue {
 public:
  explicit HeldQueue(Device device) {
    DeviceState::of(device).stream(0).queue->submit_task(
        [this](Task& task) { task.run = [this] { go_on_.wait(false); }; });
  }
  ~HeldQueue() {
    go_on_ = true;
    go_on_.notify_all();
  }

 private:
  std::atomic<bool> go_on_{false};
};

}  // namespace

TEST_CASE("values are filled while the queue rests and while it works", "[tensor]") {
  const Device device = GENERATE(Device{}, Device{DeviceKind::sim, 0});
  CHECK(holds(filled(device, 3), 3));

  std::optional<Tensor> old =
      full({kTransferred}, Number(5.0), {.dtype = DType::f32, .device = device});
  test::values(*old);
  std::optional<HeldQueue> held(device);
  const Tensor doubled = *old * 2;
  engine::flush();
  old.reset();  // its block is free for later work, but has not been read yet
  const Tensor fresh = filled(device, 7);
  held.reset();
  CHECK(holds(doubled, 10));
  CHECK(holds(fresh, 7));
}

TEST_CASE("a failed transfer leaves no memory allocated", "[tensor]") {
  const Device device = GENERATE(Device{}, Device{DeviceKind::sim, 0});
  DeviceState& state = DeviceState::of(device);
  test::values(filled(device, 1));
  const auto before = state.allocator.statistics().in_use;
  const auto fail = [](std::span<std::byte>) { throw std::runtime_error("cut short"); };
  CHECK_THROWS_WITH(record_filled({kTransferred}, DType::f32, device, fail), "cut short");
  CHECK(state.allocator.statistics().in_use == before);
}
