// What a profile records, how much of it, and from whom.
#include "runtime/profile/recorder.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/profile/computation.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/transfer.h"
#include "tests/support/catch.h"

using namespace tide;
using profile::Event;
using profile::EventKind;

namespace {

Tensor stored(const Shape& shape, Device device) {
  const std::vector<float> numbers(static_cast<size_t>(shape.numel()), 3);
  const Tensor x = record_constant(numbers.data(), shape, DType::f32, device);
  engine::synchronize();
  return x;
}

std::vector<Event> events_of(const profile::Trace& trace, EventKind kind) {
  std::vector<Event> found;
  for (const auto& [block, count] : trace.parts)
    for (uint32_t i = 0; i < count; ++i)
      if (block->events[i].kind == kind) found.push_back(block->events[i]);
  return found;
}

/// What `work` leaves in a profile, once all of it is done.
template <class Work>
std::shared_ptr<const profile::Trace> traced(const Work& work, size_t most_events = 10000) {
  REQUIRE(profile::start(most_events));
  work();
  engine::synchronize();
  return profile::stop();
}

void add_range(const char* name) { const profile::Span span(EventKind::range, name); }

}  // namespace

TEST_CASE("nothing is recorded unless a profile is under way", "[profile]") {
  add_range("before");
  CHECK_FALSE(profile::is_on());
  CHECK(profile::stop() == nullptr);
  const auto trace = traced([] { add_range("inside"); });
  add_range("after");
  const std::vector<Event> ranges = events_of(*trace, EventKind::range);
  REQUIRE(ranges.size() == 1);
  CHECK(ranges[0].name == std::string("inside"));
  CHECK(ranges[0].stream == Event::kHost);
  CHECK(trace->begin <= ranges[0].begin);
  CHECK(ranges[0].begin <= ranges[0].end);
  CHECK(ranges[0].end <= trace->end);
}

TEST_CASE("there is one profile at a time", "[profile]") {
  const auto trace = traced([] {
    CHECK_FALSE(profile::start(10));
    add_range("inside");
  });
  CHECK(events_of(*trace, EventKind::range).size() == 1);
}

TEST_CASE("events may be put right when a profile ends", "[profile]") {
  CHECK_FALSE(profile::correct_at_end([](const auto&) { FAIL("there is no profile"); }));
  const auto trace = traced([] {
    for (int i = 0; i < 1000; ++i) add_range("inside");
    CHECK(profile::correct_at_end([](const auto& blocks) {
      for (const std::span<Event> block : blocks)
        for (Event& event : block) event.line = 7;
    }));
  });
  const std::vector<Event> ranges = events_of(*trace, EventKind::range);
  CHECK(ranges.size() == 1000);
  CHECK(std::all_of(ranges.begin(), ranges.end(), [](const Event& e) { return e.line == 7; }));
  const auto next = traced([] { add_range("inside"); });
  CHECK(events_of(*next, EventKind::range)[0].line == 0);
}

TEST_CASE("a profile that is full counts what is missing", "[profile]") {
  const auto trace = traced(
      [] {
        for (int i = 0; i < 3000; ++i) add_range("range");
      },
      1000);
  const auto kept = static_cast<int64_t>(events_of(*trace, EventKind::range).size());
  CHECK(kept >= 1000);
  CHECK(kept < 1000 + profile::Block::kEvents);
  CHECK(kept + trace->dropped == 3000);
  CHECK(traced([] { add_range("range"); })->dropped == 0);
}

TEST_CASE("threads record side by side, also while a profile begins and ends", "[profile]") {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      while (!stop) add_range("range");
    });
  for (int round = 0; round < 50; ++round) {
    const auto trace = traced([] { std::this_thread::sleep_for(std::chrono::microseconds(200)); });
    const std::vector<Event> ranges = events_of(*trace, EventKind::range);
    CHECK(std::all_of(ranges.begin(), ranges.end(),
                      [](const Event& e) { return e.name == std::string("range"); }));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("a fused loop is one event that names its ops", "[profile]") {
  const Device device = GENERATE(Device{}, Device{DeviceKind::sim, 0});
  CAPTURE(device.name());
  const Tensor x = stored({100, 50}, device);
  const auto trace = traced([&] {
    set_call_site({"a.lua", 3});
    const Tensor y = mul(x, Number(2.0));
    set_call_site({"a.lua", 4});
    const Tensor z = exp(y);
    engine::flush();
    set_call_site({});
  });
  const std::vector<Event> loops = events_of(*trace, EventKind::loop);
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].device == device);
  CHECK(loops[0].stream == 0);
  CHECK(loops[0].begin < loops[0].end);
  const auto ops = trace->ops_of(loops[0]);
  REQUIRE(ops.size() == 2);
  CHECK(ops[0].name == std::string("mul"));
  CHECK(ops[0].line == 3);
  CHECK(ops[1].name == std::string("exp"));
  CHECK(ops[1].line == 4);
  CHECK(events_of(*trace, EventKind::flush).size() == 1);
}

TEST_CASE("steps say what they move and compute", "[profile]") {
  const Tensor a = stored({20, 30}, {}), b = stored({30, 40}, {});
  const auto product = events_of(*traced([&] {
    const Tensor c = matmul(a, b);
    engine::flush();
  }),
                                 EventKind::compute);
  REQUIRE(product.size() == 1);
  const auto& computation = *static_cast<const profile::Computation*>(product[0].subject);
  CHECK(computation.name == std::string("matmul"));
  REQUIRE(computation.inputs.size() == 2);
  REQUIRE(computation.outputs.size() == 1);
  CHECK(computation.inputs[0].layout.shape == Shape{20, 30});
  CHECK(computation.inputs[1].layout.shape == Shape{30, 40});
  CHECK(computation.outputs[0].layout.shape == Shape{20, 40});
  CHECK(computation.inputs[0].type == DType::f32);
  CHECK(product[0].flops == 2 * 20 * 30 * 40);
  CHECK(product[0].bytes == 4 * (20 * 30 + 30 * 40 + 20 * 40));
  const auto loop = events_of(*traced([&] {
    const Tensor y = exp(add(a, Number(1.0)));
    engine::flush();
  }),
                              EventKind::loop);
  REQUIRE(loop.size() == 1);
  CHECK(loop[0].flops == 2 * 20 * 30);
  CHECK(loop[0].bytes == 2 * 4 * 20 * 30);
}

TEST_CASE("equal computations are kept once", "[profile]") {
  const auto made = [](int64_t rows, DType type, const char* name) {
    const profile::Operand operand{type, Layout(Shape{rows, 3})};
    return profile::keep_computation({.name = name, .inputs = {operand}, .outputs = {}});
  };
  constexpr char kName[] = "sort", kOther[] = "qr";
  const auto* one = made(2, DType::f32, kName);
  CHECK(made(2, DType::f32, kName) == one);
  CHECK(made(3, DType::f32, kName) != one);
  CHECK(made(2, DType::f64, kName) != one);
  CHECK(made(2, DType::f32, kOther) != one);
}

TEST_CASE("transfers, waits, memory and the queue are recorded", "[profile]") {
  const Device sim{DeviceKind::sim, 0};
  const Tensor x = stored({1000}, {});
  const auto trace = traced([&] {
    const Tensor y = sum(record_transfer(x, sim));
    float value;
    y.read(&value, "item");
    CHECK(value == 3000);
  });
  const std::vector<Event> transfers = events_of(*trace, EventKind::transfer);
  REQUIRE(transfers.size() == 2);  // there, and the value back
  for (const Event& transfer : transfers) CHECK(transfer.device == sim);
  CHECK(transfers[0].bytes + transfers[1].bytes == 4000 + 4);
  bool has_memory = false;
  for (const Event& sample : events_of(*trace, EventKind::memory))
    has_memory = has_memory || (sample.device == sim && sample.bytes >= 4000);
  CHECK(has_memory);
  CHECK_FALSE(events_of(*trace, EventKind::depth).empty());
}

TEST_CASE("work names the submission that it was part of", "[profile]") {
  const Device device = GENERATE(Device{}, Device{DeviceKind::sim, 0});
  CAPTURE(device.name());
  const Tensor x = stored({100}, device);
  const auto trace = traced([&] {
    for (int i = 0; i < 3; ++i) {
      const Tensor y = exp(x);
      engine::flush();
    }
  });
  const std::vector<Event> loops = events_of(*trace, EventKind::loop);
  REQUIRE(loops.size() == 3);
  std::map<uint64_t, Event> submits;  // by their numbers: work that is independent has no order
  for (const Event& sample : events_of(*trace, EventKind::depth))
    if (sample.submission) submits.emplace(sample.submission, sample);
  REQUIRE(submits.size() == 3);
  std::set<uint64_t> seen;
  for (const Event& loop : loops) {
    REQUIRE(submits.contains(loop.submission));
    const Event& submit = submits.at(loop.submission);
    CHECK(submit.begin <= loop.begin);
    CHECK(submit.bytes >= 1);
    seen.insert(loop.submission);
  }
  CHECK(seen.size() == 3);
}

TEST_CASE("waits can be made errors", "[profile]") {
  const Tensor x = stored({10}, {});
  const Tensor y = sum(x);
  engine::make_waits_errors(true);
  float value = 0;
  CHECK_THROWS_WITH(y.read(&value, "item"),
                    Catch::Matchers::StartsWith("no_sync: item waits for cpu (sum"));
  // Whether the value is there by then makes no difference.
  CHECK_THROWS(y.read(&value, "item"));
  CHECK_THROWS(engine::synchronize());
  engine::make_waits_errors(false);
  y.read(&value, "item");
  CHECK(value == 30);
}
