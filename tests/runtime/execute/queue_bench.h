// A queue on a device that completes what a test permits, with values known by numbers.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/execute/submission.h"
#include "runtime/ir/compute_failure.h"
#include "runtime/record/queue.h"
#include "runtime/types/error.h"

namespace tide::test {

/// A stream that only enqueues: it has completed what the test permits.
class Stub : public StreamBackend {
 public:
  void launch(const LoopStep&, void* const*, const uint64_t*) override { ++launches; }
  /// The attributes are the number of the result, and that of the op's report if it has one.
  ComputeOutcome launch(const ComputeStep& step, void* const*, const LoopCall*) override {
    if (shortages-- > 0) throw LaunchShortage("no room");
    {
      const std::lock_guard lock(mutex_);
      order_.push_back(static_cast<uint64_t>(step.attributes[0]));
    }
    ++launches;
    ComputeOutcome outcome;
    if (step.attributes.size() > 1) outcome.report = static_cast<uint64_t>(step.attributes[1]);
    return outcome;
  }
  void release_workspace() override { ++returns; }
  void copy(void*, const void*, size_t, CopyKind) override { ++copies; }
  void note(uint64_t ticket) override { noted_ = ticket; }
  uint64_t done() override {
    const std::lock_guard lock(mutex_);
    return std::min(noted_, released_);
  }
  void wait(uint64_t ticket) override {
    std::unique_lock lock(mutex_);
    ++waits;
    const uint64_t last = ticket == kAll ? noted_ + 1 : ticket;
    changed_.wait(lock, [&] { return released_ >= last; });
  }
  std::optional<std::string> take_report(uint64_t report) override {
    if (!wrong.contains(report)) return std::nullopt;
    return wrong_position(static_cast<int64_t>(report), 3);
  }
  void call_when_done(void (*function)(void*), void* data) override { function(data); }
  void follow(StreamBackend&, uint64_t ticket) override { followed = ticket; }
  void take_time(uint64_t) override {}
  MarkTime time_taken(uint64_t) override { return {}; }

  void release_to(uint64_t ticket) {
    const std::lock_guard lock(mutex_);
    released_ = ticket;
    changed_.notify_all();
  }

  /// The results of what was launched, in its order.
  std::vector<uint64_t> order() {
    const std::lock_guard lock(mutex_);
    return order_;
  }

  std::atomic<int> launches{0}, copies{0}, waits{0};
  std::atomic<uint64_t> followed{0};
  std::atomic<int> shortages{0};  ///< launches of compute ops that find no memory
  std::atomic<int> returns{0};    ///< of workspace
  std::set<uint64_t> wrong;       ///< the reports of ops that go wrong
  std::set<uint64_t> large;       ///< the results of ops that are not small

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<uint64_t> order_;
  uint64_t noted_ = 0, released_ = 0;
};

/// What the streams of a device share.
struct BenchDevice {
  ErrorTable failures;
};

/// A queue on the stub. Values are known by numbers.
struct Bench {
  BenchDevice own;
  BenchDevice& device = own;
  ErrorTable& failures = device.failures;
  Stub stub;
  /// For each time that memory was reclaimed, the number of the work that wanted it.
  std::vector<uint64_t> made_room;
  std::atomic<int64_t> queued_ops{0};
  Queue queue{stub, device.failures, queued_ops,
              [this](uint64_t work) { made_room.push_back(work); }, "stub"};

  Bench() = default;
  /// Another stream of a device.
  explicit Bench(BenchDevice& shared) : device(shared) {}
  ~Bench() { stub.release_to(~0ull); }

  static void* at(uint64_t value) { return reinterpret_cast<void*>(value * 64); }
  bool is_lost(uint64_t value) {
    const auto value_error = failures.find(at(value));
    return value_error && value_error->lost;
  }

  struct Op {
    std::vector<uint64_t> reads;
    uint64_t result;
    std::optional<int64_t> report{};
    std::optional<uint64_t> old{};  ///< the value before, of a write
  };
  /// Submits a compute op.
  uint64_t run(const Op& op, bool all_or_nothing = false) {
    Ref<Plan> plan = new Plan;
    Step step{};
    step.kind = Step::Kind::compute;
    for (size_t i = 0; i < op.reads.size(); ++i)
      step.buffers.push_back({BufferUse::Source::external, static_cast<uint32_t>(i)});
    step.inputs = static_cast<uint16_t>(op.reads.size());
    step.buffers.push_back({BufferUse::Source::node, 0});
    step.outputs = {0};
    step.compute.attributes = {static_cast<int64_t>(op.result)};
    // The work of a small product, or of something that is not small.
    step.compute.op = stub.large.contains(op.result) ? ComputeOp::sort : ComputeOp::matmul;
    step.compute.inputs = step.compute.outputs = {{nullptr, DType::f32, Layout(Shape({1, 1}))}};
    if (op.report) step.compute.attributes.push_back(*op.report);
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

  /// Whether that number of launches happens, sooner or later.
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

}  // namespace tide::test
