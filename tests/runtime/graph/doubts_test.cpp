// What a queue knows of positions that nobody has looked at yet.
#include "runtime/graph/doubts.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <set>
#include <thread>

#include "runtime/graph/native_failure.h"
#include "runtime/graph/queue.h"

using namespace tide;

namespace {

/// A device that only enqueues: it has done what the test lets go.
class Stub : public Backend {
 public:
  std::unique_ptr<Backend> another_stream() override { return nullptr; }
  std::string description() const override { return "stub"; }
  void* allocate(size_t) override { return nullptr; }
  void release(void*, size_t) override {}
  size_t memory_limit() const override { return 0; }
  void* allocate_host(size_t) override { return nullptr; }
  void release_host(void*, size_t) override {}
  void launch(const LoopStep&, void* const*, const uint64_t*) override { ++launches; }
  /// Ops with a first attribute have a report of this number.
  NativeOutcome launch(const NativeStep& step, void* const*) override {
    ++launches;
    NativeOutcome outcome;
    if (!step.attributes.empty()) outcome.report = static_cast<uint64_t>(step.attributes[0]);
    return outcome;
  }
  void copy(void*, const void*, size_t, CopyKind) override { ++copies; }
  void finish() override { wait(noted_ + 1); }
  bool host_readable() const override { return false; }
  bool is_asynchronous() const override { return true; }
  void note(uint64_t ticket) override { noted_ = ticket; }
  uint64_t done() override {
    const std::lock_guard lock(mutex_);
    return std::min(noted_, released_);
  }
  void wait(uint64_t ticket) override {
    std::unique_lock lock(mutex_);
    ++waits;
    changed_.wait(lock, [&] { return released_ >= ticket; });
  }
  std::optional<std::string> take_report(uint64_t report) override {
    if (!wrong.contains(report)) return std::nullopt;
    return wrong_position(static_cast<int64_t>(report), 3);
  }
  void call_when_done(void (*function)(void*), void* data) override { function(data); }

  void release_to(uint64_t ticket) {
    const std::lock_guard lock(mutex_);
    released_ = ticket;
    changed_.notify_all();
  }

  std::atomic<int> launches{0}, copies{0}, waits{0};
  std::set<uint64_t> wrong;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t noted_ = 0, released_ = 0;
};

/// A queue on the stub. Values are known by numbers.
struct Bench {
  Stub stub;
  FailureBook failures;
  DeviceLoss loss{failures};
  Queue queue{stub, failures, loss, "stub"};

  ~Bench() { stub.release_to(~0ull); }

  static void* at(uint64_t value) { return reinterpret_cast<void*>(value * 64); }
  bool is_lost(uint64_t value) {
    const auto taint = failures.find(at(value));
    return taint && taint->lost;
  }

  struct Op {
    std::vector<uint64_t> reads;
    uint64_t result;
    std::optional<int64_t> report{};
    std::optional<uint64_t> old{};  ///< the value before, of a write
  };
  /// Submits a native op.
  uint64_t run(const Op& op, bool all_or_nothing = false) {
    Ref<Plan> plan = new Plan;
    Step step{};
    step.kind = Step::Kind::native;
    for (size_t i = 0; i < op.reads.size(); ++i)
      step.buffers.push_back({BufferUse::Source::external, static_cast<uint32_t>(i)});
    step.inputs = static_cast<uint16_t>(op.reads.size());
    step.buffers.push_back({BufferUse::Source::node, 0});
    step.outputs = {0};
    if (op.report) step.native.attributes = {*op.report};
    if (op.old) step.fallbacks.push_back({0, {BufferUse::Source::external, 9}, 64, false});
    plan->steps.push_back(std::move(step));
    return queue.submit([&](Submission& submission) {
      submission.plan = plan;
      submission.all_or_nothing = all_or_nothing;
      std::vector<uint64_t> words;
      for (uint64_t value : op.reads) words.push_back(value * 64);
      words.push_back(op.result * 64);
      BoundStep bound{};
      bound.step = &plan->steps[0];
      bound.outputs = static_cast<uint32_t>(op.reads.size());
      if (op.old) words.push_back(*op.old * 64);
      bound.fallbacks = bound.outputs + 1;
      bound.name = "op";
      submission.steps = {bound};
      submission.words = words;
    });
  }

  /// Whether so many launches happen, sooner or later.
  bool launches(int count) {
    for (int i = 0; i < 5000 && stub.launches < count; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return stub.launches == count;
  }
  /// Lets the device do everything up to the ticket.
  void finish(uint64_t ticket) {
    stub.release_to(ticket);
    queue.wait_uninterrupted(ticket);
  }
};

}  // namespace

TEST_CASE("what is computed from positions does not wait until they were looked at", "[graph]") {
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

TEST_CASE("a doubt does not outlive its value", "[graph]") {
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

TEST_CASE("a write waits for the positions that it depends on", "[graph]") {
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

TEST_CASE("a write at positions waits for its own report", "[graph]") {
  Bench bench;
  bench.stub.wrong = {7};
  const uint64_t write = bench.run({{1}, 2, 7, 1});
  CHECK(bench.launches(1));
  bench.finish(write);
  CHECK(bench.stub.waits == 1);
  CHECK(bench.failures.find(Bench::at(2)));
  CHECK_FALSE(bench.is_lost(2));
}

TEST_CASE("a task waits for the positions that what it reads depends on", "[graph]") {
  Bench bench;
  bench.stub.wrong = {7};
  bench.run({{1}, 2, 7});
  std::atomic<bool> lost{false};
  const uint64_t last = bench.queue.submit([&](Submission& submission) {
    submission.task_input = Bench::at(2);
    submission.task_output = Bench::at(3);
    submission.task = [&] { lost = bench.is_lost(2); };
  });
  bench.finish(last);
  CHECK(lost);
}

TEST_CASE("doubts of a part stay with the rest", "[graph]") {
  FailureBook failures;
  Doubts doubts(failures);
  void* const a = Bench::at(1);
  void* const b = Bench::at(2);
  doubts.add(1, 10, new Failure, std::vector<void*>{a});
  doubts.add(2, 20, new Failure, std::vector<void*>{b});
  doubts.derive_part(b, std::vector<void*>{a});
  CHECK(doubts.decided_after(a) == 10);
  CHECK(doubts.decided_after(b) == 20);
  doubts.decide(10, [](uint64_t) { return wrong_position(0, 3); });
  CHECK(failures.find(b)->lost);
  CHECK(doubts.decided_after(a) == 0);
  CHECK(doubts.decided_after(b) == 20);
  doubts.decide(20, [](uint64_t) { return std::nullopt; });
  CHECK(doubts.empty());
  CHECK(failures.find(b)->failure->what == "position 0 is out of range: positions start at 1");
}
