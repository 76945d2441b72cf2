// Modelled time: streams of a device that is like a card, by a card of round figures.
#include "runtime/device/modelled/modelled_time.h"

#include <thread>

#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/record/device_state.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"
#include "tests/runtime/device/on_stream.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;
using test::OnStream;
using test::values;

namespace {

const Device kCpu{}, kSim{DeviceKind::sim, 1};

constexpr double kMicro = 1e-6;
constexpr int64_t kElements = 250'000;  // 1 MB: 1 us in memory, 10 us by the link

/// sim:1 is like a card of these figures as long as this lives: 1 TB/s, 100 GB/s by the link, 2 us
/// of latency; a launch takes none of its time but what is said.
class LikeCard {
 public:
  explicit LikeCard(double launch = 0) {
    SimOptions options;
    options.like.emplace();
    options.like->name = "a card";
    options.like->bandwidth = 1e12;
    options.like->peaks.fill(1e15);
    options.like->link = 100e9;
    options.like->latency = 2 * kMicro;
    options.like->launch = launch;
    engine::configure_sim(1, options);
  }
  ~LikeCard() {
    SimOptions options;
    options.like.emplace();
    engine::configure_sim(1, options);
  }
  LikeCard(const LikeCard&) = delete;
};

Tensor filled(Device device = kSim) {
  const Tensor x = full({kElements}, 1.0, {.dtype = {}, .device = device});
  const Tensor y = cumsum(x, Dim{0});  // a value of its own, not a constant
  engine::synchronize();
  return y;
}

/// Work of 2 us that is not fused with other work.
Tensor pass(const Tensor& x) { return cumsum(x, Dim{0}); }

/// Modelled microseconds of what `work` gives the streams of the device, by events of the first
/// one, which waits for `other` at the end.
double micros_of(const std::function<void()>& work, std::optional<engine::StreamId> other = {}) {
  const engine::StreamId first{kSim, 0};
  engine::synchronize();
  const engine::Mark begin = engine::mark(first);
  work();
  engine::flush();
  if (other) engine::wait_on_stream(first, engine::mark(*other));
  return engine::elapsed(begin, engine::mark(first)) / kMicro;
}

}  // namespace

TEST_CASE("launches take what a card takes, one after the other", "[modelled]") {
  const LikeCard card;
  const Tensor x = filled();
  Tensor y;
  CHECK(micros_of([&] { y = pass(x); }) == Approx(2));
  CHECK(micros_of([&] { y = pass(pass(pass(x))); }) == Approx(6));
  CHECK(micros_of([&] { y = x * 2 + 1; }) == Approx(2));  // one kernel
  CHECK(values(y)[2] == 7);
}

TEST_CASE("short kernels take the time of launches", "[modelled]") {
  const LikeCard card(5 * kMicro);
  const Tensor x = full({8}, 1.0, {.dtype = {}, .device = kSim});
  engine::synchronize();
  Tensor y = x;
  CHECK(micros_of([&] {
          for (int i = 0; i < 20; ++i) y = pass(y);
        }) == Approx(100));
}

TEST_CASE("copies and kernels of two streams overlap", "[modelled]") {
  const LikeCard card;
  const engine::StreamId side = engine::add_stream(kSim);
  const Tensor x = filled(), host = filled(kCpu);
  Tensor y, z;
  const auto compute = [&] {
    y = x;
    for (int i = 0; i < 4; ++i) y = pass(y);
  };
  const auto copy = [&] {
    const OnStream on(side);
    z = record_transfer(host, kSim);
  };
  CHECK(micros_of(compute) == Approx(8));
  CHECK(micros_of(copy, side) == Approx(12));
  CHECK(micros_of([&] { compute(), copy(); }, side) == Approx(12));
  CHECK(micros_of([&] { copy(), compute(); }, side) == Approx(12));
}

TEST_CASE("kernels of two streams share the card, short ones while they are launched",
          "[modelled]") {
  const engine::StreamId side = engine::add_stream(kSim);
  const auto both = [&](const Tensor& x) {
    return micros_of(
        [&] {
          Tensor y = x, z = x;
          for (int i = 0; i < 5; ++i) {
            y = pass(y);
            const OnStream on(side);
            z = pass(z);
          }
          engine::flush();
        },
        side);
  };
  {
    const LikeCard card;
    CHECK(both(filled()) == Approx(20));
  }
  const LikeCard card(5 * kMicro);
  const Tensor small = full({8}, 1.0, {.dtype = {}, .device = kSim});
  CHECK(both(small) == Approx(25).epsilon(1e-3));
}

TEST_CASE("what a stream waits for comes before, also by way of the cpu", "[modelled]") {
  const LikeCard card;
  const engine::StreamId side = engine::add_stream(kSim);
  const Tensor x = filled();
  Tensor y, z;
  CHECK(micros_of(
            [&] {
              y = pass(x);
              const OnStream on(side);
              z = pass(y);
            },
            side) == Approx(4));
  CHECK(micros_of(
            [&] {
              y = record_transfer(pass(x), kCpu) * 2;
              const OnStream on(side);
              z = record_transfer(y, kSim);
            },
            side) == Approx(2 + 12 + 12));
}

TEST_CASE("work that is done by the host's clock is waited for all the same", "[modelled]") {
  const LikeCard card;
  const engine::StreamId side = engine::add_stream(kSim);
  const Tensor x = filled();
  Tensor y, z;
  const auto let_all_end = [] {  // and the script does not see it
    for (const Stream* stream : DeviceState::all_streams())
      while (stream->queue->completed() < stream->queue->submitted()) std::this_thread::yield();
  };
  CHECK(micros_of(
            [&] {
              y = record_transfer(pass(x), kCpu);
              let_all_end();
              const OnStream on(side);
              z = record_transfer(y, kSim);
            },
            side) == Approx(2 + 12 + 12));
}

TEST_CASE("a script that has waited submits from where the work has ended", "[modelled]") {
  const LikeCard card;
  const engine::StreamId side = engine::add_stream(kSim);
  const Tensor x = filled();
  Tensor y;
  const auto on_both = [&](bool waits) {
    return micros_of([&] {
      y = pass(pass(x));
      if (waits) engine::synchronize();
      const OnStream on(side);
      y = record_transfer(x, kCpu);
      engine::synchronize();
    });
  };
  CHECK(on_both(true) == Approx(4 + 12));
  CHECK(on_both(false) == Approx(12));
}

TEST_CASE("times of one clock are not taken from the other", "[modelled]") {
  engine::synchronize();
  const engine::Mark host = engine::mark({kSim, 0});
  const LikeCard card;
  CHECK(engine::modelled_card(kSim) == "a card");
  CHECK(engine::modelled_card(kCpu).empty());
  const engine::Mark modelled = engine::mark({kSim, 0});
  CHECK_THROWS_WITH(
      engine::elapsed(host, modelled),
      Catch::Matchers::ContainsSubstring("that of sim:1 is modelled, that of sim:1 is the host's"));
}

TEST_CASE("a device that is like no card any more is as it was at the start", "[modelled]") {
  { const LikeCard card; }
  CHECK(engine::modelled_card(kSim).empty());
  CHECK_FALSE(modelled::is_on());
  const engine::Mark begin = engine::mark({kSim, 0});
  const double before = engine::seconds();
  engine::wait(begin, "test");
  const engine::Mark end = engine::mark({kSim, 0});
  CHECK(engine::elapsed(begin, end) > 0);
  CHECK(engine::elapsed(begin, end) < engine::seconds() - before + 1);
}

TEST_CASE("a timetable hands out the first gap that is long enough", "[modelled]") {
  Timetable times;
  CHECK(times.take(0, 2) == 0);
  CHECK(times.take(5, 2) == 5);
  CHECK(times.take(0, 4) == 7);
  CHECK(times.take(1, 3) == 2);
  CHECK(times.take(0, 1) == 11);
  CHECK(times.take(3, 0) == 12);
}

TEST_CASE("a stream knows when its last tickets have ended", "[modelled]") {
  StreamTime time;
  CHECK(time.end_of(3) == 0);
  for (uint64_t ticket = 4; ticket <= 5000; ++ticket) {
    time.work(time.now(), 1);
    time.note(ticket);
  }
  CHECK(time.end_of(3) == 0);  // before anything was modelled
  CHECK(time.end_of(5000) == 4997);
  CHECK(time.end_of(4999) == 4996);
  CHECK(time.end_of(4) == time.end_of(905));  // the oldest that is kept
  time.note(6000);
  CHECK(time.end_of(5000) == 0);
}
