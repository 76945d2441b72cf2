// Runs the steps of a plan.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/error_table.h"
#include "runtime/device/stop_check.h"
#include "runtime/execute/failure/step_failures.h"
#include "runtime/execute/pending_checks.h"
#include "runtime/execute/step_profile.h"
#include "runtime/execute/submission.h"

namespace tide {

/// Runs submissions on the thread of their queue. Never throws: failures are recorded in the error
/// table. Submissions without a common value may run concurrently on threads of the host.
class PlanRunner {
 public:
  /// Steps of tickets up to `dropped_until` stop in the middle, unless they write to existing
  /// values.
  PlanRunner(StreamBackend& stream, ErrorTable& errors, Queue::Reclaim reclaim,
             const std::atomic<uint64_t>& dropped_until, profile::StreamTrack track)
      : stream_(stream),
        reclaim_(std::move(reclaim)),
        dropped_until_(dropped_until),
        pending_checks_(errors),
        errors_(errors),
        failures_(stream, errors, pending_checks_),
        profile_(stream, track) {}

  /// Runs the steps of the submission, or its task. `drop`: only the steps that must run.
  void run(const Submission& submission, uint64_t ticket, bool drop);
  /// Decides the pending checks of tickets up to `done`.
  void decide_checks(uint64_t done);
  bool has_pending_checks() const { return !pending_checks_.empty(); }
  /// Adds steps of tickets up to `done` to the profile.
  void profile_steps(uint64_t done) { profile_.settle(done); }
  /// Steps launched so far. Callable from any thread.
  int64_t launches() const { return launches_.load(std::memory_order_relaxed); }

 private:
  void run_plan(const Submission& submission, uint64_t ticket, bool drop);
  Ref<Failure> run_step(const StepCall& call, uint64_t ticket, bool drop,
                        Ref<Failure> failure = {});
  void run_batch(const Submission& submission, std::span<const BoundStep> steps, uint64_t ticket,
                 bool drop);
  bool run_finished(const Submission& submission, size_t at, uint64_t ticket);
  bool add_call(const StepCall& call);
  void run_together(const Submission& submission, std::span<LoopCall> calls, uint64_t ticket,
                    bool drop);
  void note_launched(const StepCall& call, bool drop);
  size_t launch_together(const Submission& submission, std::span<LoopCall> calls, uint64_t ticket);
  void run_task(const Submission& submission, uint64_t ticket);
  bool fail_together(const Submission& submission, uint64_t ticket, bool drop);
  Ref<Failure> attempt(const StepCall& call, uint64_t ticket, bool drop);
  ComputeOutcome launch_timed(const StepCall& call, uint64_t ticket);
  ComputeOutcome launch(const StepCall& call);
  ComputeOutcome launch_once(const StepCall& call);
  SalvageProgram salvage(const StepCall& call, bool rematerialized_only);
  void fail(const StepCall& call, const Ref<Failure>& failure, bool rematerialized_only);
  StopCheck stop_check(const StepCall& call, uint64_t ticket) const;
  void wait_for_checks(const StepCall& call, uint64_t ticket);
  void add_check(const StepCall& call, uint64_t ticket, uint64_t report);
  void mark_unchecked(const StepCall& call);

  StreamBackend& stream_;
  const Queue::Reclaim reclaim_;
  const std::atomic<uint64_t>& dropped_until_;
  PendingChecks pending_checks_;
  ErrorTable& errors_;
  StepFailures failures_;
  StepProfile profile_;
  std::vector<LoopCall> calls_;        ///< of the current batch
  std::optional<LoopCall> finishing_;  ///< to be launched with the current compute op
  std::atomic<int64_t> launches_{0};
};

}  // namespace tide
