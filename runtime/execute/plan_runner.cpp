// The steps of a plan: launches, and pending checks.
#include "runtime/execute/plan_runner.h"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/profile/nvtx.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Number of steps, from the first on, that belong to its batch and are not separated by a required
/// copy.
size_t batch_at(std::span<const BoundStep> steps) {
  const uint16_t batch = steps[0].step->batch;
  size_t count = 1;
  if (batch == 0) return count;
  for (size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].skip) continue;
    if (steps[i].step->batch != batch) break;
    count = i + 1;
  }
  return count;
}

/// Adds work that is launched with the event's.
void add_work(const StepWork& work, profile::Event& event) {
  event.bytes += work.bytes;
  event.flops += static_cast<float>(work.flops);
}

}  // namespace

void PlanRunner::run(const Submission& submission, uint64_t ticket, bool drop) {
  if (submission.plan)
    run_plan(submission, ticket, drop);
  else if (submission.run)
    run_task(submission, ticket);
}

void PlanRunner::decide_checks(uint64_t done) {
  if (pending_checks_.empty()) return;
  pending_checks_.decide(done, [this](uint64_t report) { return stream_.take_report(report); });
}

void PlanRunner::run_task(const Submission& submission, uint64_t ticket) {
  try {
    if (!pending_checks_.empty()) {
      if (pending_checks_.decided_after(submission.input)) {
        stream_.finish();
        decide_checks(ticket);
      }
      if (submission.output) pending_checks_.derive(submission.output, {});
    }
    if (submission.bytes && profile::is_on()) [[unlikely]]
      profile_.time(ticket, event_of(submission), [&](profile::Event*) { submission.run(); });
    else
      submission.run();
  } catch (const std::exception& error) {
    failures_.fail_all(submission, Failure::of_work(submission.name, submission.site, error));
  }
}

void PlanRunner::run_plan(const Submission& submission, uint64_t ticket, bool drop) {
  if (submission.all_or_nothing && fail_together(submission, ticket, drop)) return;
  // Steps in a graph have no individual times.
  if (!profile::is_on()) stream_.run_plan(&submission.plan->info);
  const std::span<const BoundStep> steps = submission.steps;
  const BoundStep* failed_copy = nullptr;  // the previous step, if it was the first half of a write
  Ref<Failure> failure;
  for (size_t i = 0; i < steps.size(); ++i) {
    const BoundStep& bound = steps[i];
    if (bound.skip) continue;
    const bool fails_too = failed_copy && bound.step->node == failed_copy->step->node;
    const size_t count = fails_too ? 1 : batch_at(steps.subspan(i));
    if (count > 1) {
      run_batch(submission, steps.subspan(i, count), ticket, drop);
      i += count - 1;
      failed_copy = nullptr;
      continue;
    }
    if (bound.step->finished_by_next && !drop && run_finished(submission, i, ticket)) {
      failed_copy = nullptr;
      ++i;
      continue;
    }
    failure = run_step({submission, bound}, ticket, drop, fails_too ? failure : Ref<Failure>());
    failed_copy = failure && bound.step->kind == Step::Kind::copy ? &bound : nullptr;
  }
  try {
    stream_.run_plan(nullptr);
  } catch (const std::exception& error) {
    const Ref<Failure> together = failure_of(submission.steps.front(), error);
    for (const BoundStep& bound : submission.steps) failures_.fail({submission, bound}, together);
  }
}

/// Runs a compute op and the loop after it, which is launched on parts of its result. Returns false
/// if an error could concern one of them, so that they must run one by one.
bool PlanRunner::run_finished(const Submission& submission, size_t at, uint64_t ticket) {
  if (!errors_.empty() || !pending_checks_.empty()) return false;
  const StepCall op{submission, submission.steps[at]}, loop{submission, submission.steps[at + 1]};
  finishing_ = {&loop.step.loop, loop.bases(), loop.parameters(), at + 1};
  const Ref<Failure> failure = run_step(op, ticket, false);
  finishing_.reset();
  if (failure)
    run_step(loop, ticket, false);
  else
    launches_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

/// Runs a step, unless it is the second half of a write whose first half failed with `failure`.
/// Returns its failure.
Ref<Failure> PlanRunner::run_step(const StepCall& call, uint64_t ticket, bool drop,
                                  Ref<Failure> failure) {
  if (!pending_checks_.empty() && call.step.writes()) wait_for_checks(call, ticket);
  if (!failure) failure = attempt(call, ticket, drop);
  if (failure && call.submission.must_run && !attempt(call, ticket, drop)) {
    failures_.notice(call, failure);
    return {};
  }
  if (failure)
    fail(call, failure, drop);
  else if (!errors_.empty())
    failures_.clear(call);
  return failure;
}

/// Launches the loops of a batch together, except those with a blocking error.
void PlanRunner::run_batch(const Submission& submission, std::span<const BoundStep> steps,
                           uint64_t ticket, bool drop) {
  calls_.clear();
  const auto run_waiting = [&] {
    run_together(submission, calls_, ticket, drop);
    calls_.clear();
  };
  for (const BoundStep& bound : steps) {
    if (bound.skip) continue;
    const StepCall call{submission, bound};
    if (!pending_checks_.empty() && bound.step->writes()) wait_for_checks(call, ticket);
    const bool is_free =
        submission.all_or_nothing || !failures_.blocking_error(call, drop && !submission.must_run);
    if (is_free && add_call(call)) continue;
    run_waiting();
    run_step(call, ticket, drop);
  }
  run_waiting();
}

/// Adds a loop to the current batch; false if memory is short.
bool PlanRunner::add_call(const StepCall& call) {
  try {
    const auto place = static_cast<size_t>(&call.bound - call.submission.steps.data());
    calls_.push_back({&call.step.loop, call.bases(), call.parameters(), place});
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// Launches loops of one batch with as few launches as possible. If that fails, each runs
/// separately, which assigns errors to loops.
void PlanRunner::run_together(const Submission& submission, std::span<LoopCall> calls,
                              uint64_t ticket, bool drop) {
  const auto call_of = [&](const LoopCall& call) {
    return StepCall{submission, submission.steps[call.place]};
  };
  while (calls.size() > 1) {
    size_t count = 0;
    try {
      count = launch_together(submission, calls, ticket);
    } catch (const std::exception&) {
      break;
    }
    for (const LoopCall& call : calls.first(count)) note_launched(call_of(call), drop);
    calls = calls.subspan(count);
  }
  for (const LoopCall& call : calls) run_step(call_of(call), ticket, drop);
}

/// The part of run_step after the launch.
void PlanRunner::note_launched(const StepCall& call, bool drop) {
  try {
    if (!pending_checks_.empty()) mark_unchecked(call);
    if (!errors_.empty()) failures_.clear(call);
  } catch (const std::exception& error) {
    fail(call, failure_of(call.bound, error), drop);
  }
}

/// Launches those of the calls that one launch can serve, which are moved to the front; returns
/// their number.
size_t PlanRunner::launch_together(const Submission& submission, std::span<LoopCall> calls,
                                   uint64_t ticket) {
  const StepCall first{submission, submission.steps[calls[0].place]};
  size_t count = 0;
  const auto launch = [&](profile::Event* event) {
    const profile::NvtxRange range(first.bound.name, first.bound.site.file, first.bound.site.line);
    count = stream_.launch_together(calls);
    launches_.fetch_add(1, std::memory_order_relaxed);
    if (!event) return;
    for (const LoopCall& call : calls.first(count).subspan(1))
      add_work(work_of(*call.step), *event);
  };
  if (profile::is_on())
    profile_.time(ticket, event_of(first), launch);
  else
    launch(nullptr);
  return count;
}

/// For all-or-nothing steps: fails all if one must not run; returns whether it did.
bool PlanRunner::fail_together(const Submission& submission, uint64_t ticket, bool drop) {
  for (const BoundStep& bound : submission.steps)
    if (!pending_checks_.empty()) wait_for_checks({submission, bound}, ticket);
  for (const BoundStep& bound : submission.steps) {
    const Ref<Failure> failure = failures_.blocking_error({submission, bound}, drop);
    if (!failure) continue;
    for (const BoundStep& each : submission.steps) fail({submission, each}, failure, true);
    return true;
  }
  return false;
}

/// Launches the step if there is no blocking error; returns its failure. Unknown outcomes become
/// pending checks, but for writes it waits.
Ref<Failure> PlanRunner::attempt(const StepCall& call, uint64_t ticket, bool drop) {
  const Submission& submission = call.submission;
  if (!submission.all_or_nothing)
    if (Ref<Failure> failure = failures_.blocking_error(call, drop && !submission.must_run))
      return failure;
  try {
    const CheckedStep checked(stop_check(call, ticket));
    ComputeOutcome outcome = profile::is_on() ? launch_timed(call, ticket) : launch(call);
    launches_.fetch_add(1, std::memory_order_relaxed);
    const bool writes = submission.all_or_nothing || call.step.writes();
    if (outcome.report && writes) {
      stream_.finish();
      outcome = {stream_.take_report(*outcome.report), std::nullopt};
    }
    if (outcome.failure) return failure_of(call.bound, *outcome.failure);
    if (!pending_checks_.empty()) mark_unchecked(call);
    if (outcome.report) add_check(call, ticket, *outcome.report);
    return {};
  } catch (const Interrupted&) {
    return failures_.blocking_error(call, true);
  } catch (const std::exception& error) {
    return failure_of(call.bound, error);
  }
}

/// Steps that write to values, and steps that must run, are not interrupted.
StopCheck PlanRunner::stop_check(const StepCall& call, uint64_t ticket) const {
  const bool writes = call.step.kind == Step::Kind::copy || call.step.writes();
  const bool runs_whole =
      call.submission.must_run || call.submission.all_or_nothing || writes || call.rematerializes();
  return runs_whole ? StopCheck() : StopCheck{&dropped_until_, ticket};
}

/// Records the failure of a step that must not run, for all of its results that are not available.
void PlanRunner::fail(const StepCall& call, const Ref<Failure>& failure, bool rematerialized_only) {
  const SalvageProgram partial = salvage(call, rematerialized_only);
  if (!partial.left.empty()) failures_.clear(call, &partial);
  failures_.fail(call, failure, partial);
}

/// For a loop that must not run entirely, computes the part that does not depend on lost values;
/// `rematerialized_only`: only outputs that were recomputable before and may have been read.
SalvageProgram PlanRunner::salvage(const StepCall& call, bool rematerialized_only) {
  if (call.step.kind != Step::Kind::loop) return {};
  if (rematerialized_only ? !call.rematerializes() : errors_.empty()) return {};
  const auto is_wanted = [&](uint32_t node) {
    if (!rematerialized_only) return true;
    const auto& outputs = call.step.outputs;
    const auto found = std::find(outputs.begin(), outputs.end(), node);
    return found != outputs.end() &&
           call.is_rematerialized(static_cast<size_t>(found - outputs.begin()));
  };
  SalvageProgram partial;
  try {
    const std::vector<bool> lost = failures_.lost_buffers(call);
    if (!rematerialized_only && std::find(lost.begin(), lost.end(), true) == lost.end()) return {};
    partial = salvage_program_of(call.step, lost, is_wanted);
    if (std::count(partial.left.begin(), partial.left.end(), Left::nothing) ==
        static_cast<ptrdiff_t>(partial.left.size()))
      return {};
    stream_.launch(partial.loop, call.bases(), call.parameters());
    if (!pending_checks_.empty()) mark_unchecked(call);
  } catch (const std::exception&) {
    return {};  // the original failure is reported
  }
  return partial;
}

ComputeOutcome PlanRunner::launch_timed(const StepCall& call, uint64_t ticket) {
  ComputeOutcome outcome;
  if (call.step.kind == Step::Kind::nothing) return outcome;
  profile_.time(ticket, event_of(call), [&](profile::Event* event) {
    outcome = launch(call);
    if (finishing_ && event) add_work(work_of(*finishing_->step), *event);
  });
  return outcome;
}

/// Launches the step. If the device has no memory for it, frees unused cached memory and retries.
ComputeOutcome PlanRunner::launch(const StepCall& call) {
  const profile::NvtxRange range(call.bound.name, call.bound.site.file, call.bound.site.line);
  try {
    return launch_once(call);
  } catch (const LaunchShortage&) {
  }
  stream_.finish();
  stream_.release_workspace();
  reclaim_(call.submission.number);
  return launch_once(call);
}

ComputeOutcome PlanRunner::launch_once(const StepCall& call) {
  const Step& step = call.step;
  switch (step.kind) {
    case Step::Kind::loop:
      stream_.launch(step.loop, call.bases(), call.parameters());
      return {};
    case Step::Kind::compute:
      return stream_.launch(step.compute, call.bases(), finishing_ ? &*finishing_ : nullptr);
    case Step::Kind::copy:
      stream_.copy(call.bases()[1], call.bases()[0], step.bytes, CopyKind::within);
      return {};
    case Step::Kind::nothing:
      return {};
  }
  return {};
}

/// Waits until no value that the step reads or falls back to is unchecked.
void PlanRunner::wait_for_checks(const StepCall& call, uint64_t ticket) {
  const Step& step = call.step;
  uint64_t last = 0;
  const auto look_at = [&](const void* address) {
    last = std::max(last, pending_checks_.decided_after(address));
  };
  for (size_t i = 0; i < step.buffers.size(); ++i)
    if (step.is_read(i)) look_at(call.storage(i));
  for (size_t f = 0; f < step.fallbacks.size(); ++f) look_at(call.fallback(f));
  if (last == 0) return;
  try {
    if (last == ticket)
      stream_.finish();
    else
      stream_.wait(last);
  } catch (const std::exception&) {  // the step will fail likewise
  }
  decide_checks(last);
}

/// All results of a compute op are unchecked until it has reported.
void PlanRunner::add_check(const StepCall& call, uint64_t ticket, uint64_t report) {
  std::vector<void*> results;
  for (size_t i = 0; i < call.step.buffers.size(); ++i)
    if (call.step.is_stored(i)) results.push_back(call.storage(i));
  pending_checks_.add(report, ticket, failure_of(call.bound, ""), results);
}

/// The step was launched: its results are unchecked if its inputs are.
void PlanRunner::mark_unchecked(const StepCall& call) {
  const Step& step = call.step;
  std::vector<std::vector<void*>> sources(step.buffers.size());  // per stored buffer
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    if (!step.is_read(i) || !pending_checks_.decided_after(call.storage(i))) continue;
    std::vector<bool> unchecked(step.buffers.size());
    unchecked[i] = true;
    const std::vector<bool> dependent = dependent_stores(step, unchecked);
    for (size_t k = 0; k < dependent.size(); ++k)
      if (dependent[k]) sources[k].push_back(call.storage(i));
  }
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    if (!step.is_stored(i)) continue;
    const BufferUse& use = step.buffers[i];
    if (use.source == BufferUse::Source::temporary || step.makes(use.index))
      pending_checks_.derive(call.storage(i), sources[i]);
    else
      pending_checks_.derive_part(call.storage(i), sources[i]);
  }
}

}  // namespace tide
