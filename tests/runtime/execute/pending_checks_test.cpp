// What a queue knows of positions that were not checked yet.
#include "runtime/execute/pending_checks.h"

#include "tests/runtime/execute/queue_bench.h"
#include "tests/support/catch.h"

using namespace tide;
using test::Bench;

TEST_CASE("what is computed from positions does not wait until they were looked at", "[execute]") {
  Bench bench;
  bench.stub.wrong = {7};
  bench.run({{1}, 2, 7});
  bench.run({{1}, 3, 5});
  bench.run({{2, 3}, 4});
  bench.run({{3}, 5});
  const uint64_t last = bench.run({{4}, 6});
  CHECK(bench.launches(5));
  CHECK(bench.failures.empty());
  bench.finish(last);
  for (uint64_t value : {2, 4, 6}) CHECK(bench.is_lost(value));
  for (uint64_t value : {1, 3, 5}) CHECK_FALSE(bench.is_lost(value));
  CHECK(bench.failures.find(Bench::at(6))->failure->what ==
        "op: position 7 is out of range: there are 3");
  CHECK(bench.stub.waits == 0);
}

TEST_CASE("a pending check does not outlive its value", "[execute]") {
  Bench bench;
  bench.stub.wrong = {7};
  bench.run({{1}, 2, 7});
  bench.run({{2}, 3});
  bench.run({{1}, 2});
  const uint64_t last = bench.run({{2}, 4});
  bench.finish(last);
  CHECK(bench.is_lost(3));
  CHECK_FALSE(bench.is_lost(2));
  CHECK_FALSE(bench.is_lost(4));
}

TEST_CASE("a write waits for the positions that it depends on", "[execute]") {
  for (const bool whole_step : {false, true}) {
    Bench bench;
    bench.stub.wrong = {7};
    const uint64_t gather = bench.run({{1}, 2, 7});
    bench.run({{2}, 3});
    bench.run({{5}, 6, {}, 5}, whole_step);
    CHECK(bench.launches(3));
    const uint64_t write = bench.run({{3, 8}, 9, {}, 8}, whole_step);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(bench.stub.launches == 3);
    bench.stub.release_to(gather);
    bench.finish(write);
    CHECK(bench.stub.launches == 3);
    CHECK(bench.stub.copies == 1);  // the value before
    CHECK_FALSE(bench.is_lost(9));
    CHECK(bench.failures.find(Bench::at(9)));
    CHECK(bench.is_lost(3));
  }
}

TEST_CASE("a write at positions waits for its own report", "[execute]") {
  Bench bench;
  bench.stub.wrong = {7};
  const uint64_t write = bench.run({{1}, 2, 7, 1});
  CHECK(bench.launches(1));
  bench.finish(write);
  CHECK(bench.stub.waits == 1);
  CHECK(bench.failures.find(Bench::at(2)));
  CHECK_FALSE(bench.is_lost(2));
}

TEST_CASE("a task waits for the positions that what it reads depends on", "[execute]") {
  Bench bench;
  bench.stub.wrong = {7};
  bench.run({{1}, 2, 7});
  std::atomic<bool> lost{false};
  const uint64_t last = bench.queue.submit_task([&](Task& task) {
    task.input = Bench::at(2);
    task.output = Bench::at(3);
    task.run = [&] { lost = bench.is_lost(2); };
  });
  bench.finish(last);
  CHECK(lost);
}

TEST_CASE("pending checks of a part stay with the rest", "[execute]") {
  ErrorTable failures;
  PendingChecks checks(failures);
  void* const a = Bench::at(1);
  void* const b = Bench::at(2);
  checks.add(1, 10, new Failure, std::vector<void*>{a});
  checks.add(2, 20, new Failure, std::vector<void*>{b});
  checks.derive_part(b, std::vector<void*>{a});
  CHECK(checks.decided_after(a) == 10);
  CHECK(checks.decided_after(b) == 20);
  checks.decide(10, [](uint64_t) { return wrong_position(0, 3); });
  CHECK(failures.find(b)->lost);
  CHECK(checks.decided_after(a) == 0);
  CHECK(checks.decided_after(b) == 20);
  checks.decide(20, [](uint64_t) { return std::nullopt; });
  CHECK(checks.empty());
  CHECK(failures.find(b)->failure->what == "position 0 is out of range: positions start at 1");
}
