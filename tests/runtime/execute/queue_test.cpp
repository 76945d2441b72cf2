// The queue itself: what a wait waits for, how many submissions are in flight, what may run side by
// side, and how one stream follows another.
#include "runtime/record/queue.h"

#include <algorithm>
#include <future>

#include "runtime/types/error.h"
#include "tests/runtime/execute/queue_bench.h"
#include "tests/support/catch.h"

using namespace tide;
using test::Bench;
using namespace std::chrono_literals;

namespace {

constexpr uint64_t kCapacity = 2048;  // submissions in flight

/// Whether what another thread does ends within so long.
bool ends_within(std::future<void>& work, std::chrono::milliseconds time) {
  return work.wait_for(time) == std::future_status::ready;
}

/// Lets the queue wait until the test has submitted what it wants to see together.
class Gate {
 public:
  explicit Gate(Bench& bench) {
    bench.queue.submit_task(
        [&](Task& task) { task.run = [this] { opened_.get_future().wait(); }; });
  }
  void open() { opened_.set_value(); }

 private:
  std::promise<void> opened_;
};

/// Two threads, by their word: notes how work was shared out and does one part after the other, the
/// last first, as threads may.
class Shares : public Parallel {
 public:
  int threads() const override { return 2; }
  void for_range(int64_t n, int64_t, const std::function<void(int64_t, int64_t)>& body) override {
    parts.push_back(n);
    for (int64_t i = n; i-- > 0;) body(i, i + 1);
  }
  bool help_until(std::chrono::microseconds time, const std::function<bool()>& over) override {
    helpers.insert(std::this_thread::get_id());
    return spin_until(time, over);
  }
  std::vector<int64_t> parts;
  std::set<std::thread::id> helpers;
};

/// The results in the order in which the ops run that wait in a row.
std::vector<uint64_t> order_of(const std::vector<Bench::Op>& ops, Shares& shares,
                               std::set<uint64_t> large = {}) {
  Bench bench;
  bench.stub.threads = &shares;
  bench.stub.large = std::move(large);
  Gate gate(bench);
  uint64_t last = 0;
  for (const auto& op : ops) last = bench.run(op);
  gate.open();
  bench.finish(last);
  return bench.stub.order();
}

using Order = std::vector<uint64_t>;
using Parts = std::vector<int64_t>;

}  // namespace

TEST_CASE("who waits for a queue helps its threads meanwhile", "[execute]") {
  Shares shares;
  Bench bench;
  bench.stub.threads = &shares;
  const uint64_t ticket = bench.run({{1}, 2});
  CHECK(bench.launches(1));
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    bench.stub.release_to(ticket);
  });
  bench.queue.wait(ticket);
  release.join();
  CHECK(shares.helpers == std::set{std::this_thread::get_id()});
}

TEST_CASE("a wait ends with its ticket and not before", "[execute]") {
  Bench bench;
  for (uint64_t result : {2, 3, 4}) bench.run({{1}, result});
  CHECK(bench.launches(3));
  bench.stub.release_to(2);
  bench.queue.wait(2);
  bench.queue.wait_uninterrupted(2);
  CHECK(bench.queue.completed() == 2);
  auto waits = std::async(std::launch::async, [&] { bench.queue.wait(3); });
  auto waits_on = std::async(std::launch::async, [&] { bench.queue.wait_uninterrupted(3); });
  CHECK_FALSE(ends_within(waits, 50ms));
  CHECK_FALSE(ends_within(waits_on, 50ms));
  bench.stub.release_to(3);
  CHECK(ends_within(waits, 10s));
  CHECK(ends_within(waits_on, 10s));
}

TEST_CASE("an interrupt ends a wait, but not an uninterrupted one", "[execute]") {
  Bench bench;
  bench.run({{1}, 2});
  auto waits_on = std::async(std::launch::async, [&] { bench.queue.wait_uninterrupted(1); });
  interrupt_requested = true;
  CHECK_THROWS_AS(bench.queue.wait(1), Interrupted);
  CHECK_FALSE(ends_within(waits_on, 50ms));
  interrupt_requested = false;
  bench.stub.release_to(1);
  CHECK(ends_within(waits_on, 10s));
  interrupt_requested = true;
  CHECK_NOTHROW(bench.queue.wait(1));  // it is done: there is nothing to interrupt
  interrupt_requested = false;
}

TEST_CASE("a full queue takes more when it is half empty, after an interrupt at once",
          "[execute]") {
  const bool interrupted = GENERATE(false, true);
  Bench bench;
  for (uint64_t i = 0; i < kCapacity; ++i) bench.run({{1}, 2});
  std::atomic<uint64_t> ticket{0};
  auto submits = std::async(std::launch::async, [&] { ticket = bench.run({{1}, 3}); });
  interrupt_requested = interrupted;
  CHECK_FALSE(ends_within(submits, 50ms));  // no capacity, for any thread
  bench.stub.release_to(interrupted ? 1 : kCapacity / 2);
  if (!interrupted) {
    CHECK_FALSE(ends_within(submits, 50ms));
    bench.stub.release_to(kCapacity / 2 + 1);
  }
  CHECK(ends_within(submits, 10s));
  interrupt_requested = false;
  CHECK(ticket == kCapacity + 1);
  bench.finish(kCapacity + 1);
  CHECK(bench.stub.order().size() == kCapacity + 1);
  CHECK(bench.stub.order().back() == 3);
}

TEST_CASE("small work without a common result runs side by side", "[execute]") {
  Shares shares;
  CHECK(order_of({{{1}, 2}, {{1}, 3}, {{2}, 4}, {{3}, 5}}, shares) == Order{3, 5, 2, 4});
  CHECK(shares.parts == Parts{2});
}

TEST_CASE("a write and what its value before belongs to do not run side by side", "[execute]") {
  Shares shares;
  // The second writes 2, which the first falls back to; the third is by itself.
  CHECK(order_of({{{1}, 3, {}, 2}, {{1}, 2}, {{1}, 4}, {{4}, 5}}, shares) == Order{4, 5, 3, 2});
  CHECK(shares.parts == Parts{2});
}

TEST_CASE("work that is not small, or hangs together, runs in its order", "[execute]") {
  Shares shares;
  CHECK(order_of({{{1}, 2}, {{1}, 3}, {{1}, 4}}, shares, {2, 3, 4}) == Order{2, 3, 4});
  CHECK(order_of({{{1}, 2}, {{2}, 3}, {{3}, 4}, {{4}, 5}}, shares) == Order{2, 3, 4, 5});
  // Two threads would gain too little: the longest batch is four fifths of the work.
  CHECK(order_of({{{1}, 2}, {{2}, 3}, {{3}, 4}, {{4}, 5}, {{1}, 6}}, shares) ==
        Order{2, 3, 4, 5, 6});
  CHECK(shares.parts.empty());
  // What comes after a large one begins when it is done, and small ones before it are done by then.
  CHECK(order_of({{{1}, 2}, {{1}, 3}, {{1}, 4}, {{1}, 5}, {{1}, 6}}, shares, {4}) ==
        Order{3, 2, 4, 6, 5});
  CHECK(shares.parts == Parts{2, 2});
}

TEST_CASE("32 submissions are looked at together", "[execute]") {
  Shares shares;
  std::vector<Bench::Op> ops;
  for (uint64_t result = 2; result < 42; ++result) ops.push_back({{1}, result});
  CHECK(order_of(ops, shares).size() == 40);
  CHECK(shares.parts == Parts{32, 8});
}

TEST_CASE("a task keeps its place among work that could run side by side", "[execute]") {
  Bench bench;
  Shares shares;
  bench.stub.threads = &shares;
  Gate gate(bench);
  bench.run({{1}, 2});
  size_t before = 0;
  bench.queue.submit_task(
      [&](Task& task) { task.run = [&] { before = bench.stub.order().size(); }; });
  bench.run({{1}, 3});
  const uint64_t last = bench.run({{1}, 4});
  gate.open();
  bench.finish(last);
  CHECK(before == 1);
  CHECK(shares.parts == Parts{2});
}

TEST_CASE("a launch that finds no memory is tried again after memory was reclaimed", "[execute]") {
  Bench bench;
  bench.stub.release_to(~0ull);
  bench.stub.shortages = 1;
  bench.finish(bench.run({{}, 1}));
  CHECK_FALSE(bench.is_lost(1));
  CHECK(bench.made_room.size() == 1);
  CHECK(bench.stub.returns == 1);

  bench.stub.shortages = 2;
  const uint64_t before = Failure::last_number();
  bench.finish(bench.run({{}, 2}));
  CHECK(bench.made_room.back() == before + 1);  // the number of the work that wants it
  REQUIRE(bench.is_lost(2));
  CHECK(bench.failures.find(Bench::at(2))->failure->shortage);
}

TEST_CASE("work that is not done keeps its number from what is done", "[execute]") {
  Bench bench;
  bench.stub.release_to(~0ull);
  bench.finish(bench.run({{}, 1}));
  CHECK(bench.queue.done_before() == Failure::last_number() + 1);
  bench.stub.release_to(1);
  const uint64_t ticket = bench.run({{}, 2});
  const uint64_t number = Failure::last_number();
  CHECK(bench.launches(2));
  CHECK(bench.queue.done_before() <= number);
  bench.finish(ticket);
  CHECK(bench.queue.done_before() == number + 1);
}

TEST_CASE("a stream that follows another goes on at once, unless that is unchecked", "[execute]") {
  const bool unchecked = GENERATE(false, true);
  Bench first;
  Bench second(first.device);
  first.stub.wrong = {7};
  const uint64_t ticket = unchecked ? first.run({{1}, 2, 7}) : first.run({{1}, 2});
  CHECK(first.launches(1));
  second.queue.submit_wait_for(first.queue, ticket);
  const uint64_t last = second.run({{2}, 3});
  if (unchecked) {
    std::this_thread::sleep_for(50ms);
    CHECK(second.stub.launches == 0);
    first.stub.release_to(ticket);
  } else {
    CHECK(second.launches(1));
    CHECK(second.stub.followed == ticket);
    CHECK(first.queue.completed() < ticket);
  }
  second.finish(last);
  CHECK(second.is_lost(3) == unchecked);
  first.finish(ticket);
}

TEST_CASE("a stream starts after what another has not even launched", "[execute]") {
  Bench first;
  Bench second(first.device);
  Gate gate(first);
  const uint64_t ticket = first.run({{1}, 2});
  second.queue.submit_wait_for(first.queue, ticket);
  const uint64_t last = second.run({{2}, 3});
  std::this_thread::sleep_for(50ms);
  CHECK(second.stub.launches == 0);
  gate.open();
  CHECK(second.launches(1));
  CHECK(second.stub.followed == ticket);
  second.finish(last);
  first.finish(ticket);
}
