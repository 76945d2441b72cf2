// The steps of a plan: launches, and what is unchecked.
#include "runtime/execute/plan_runner.h"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/core/error_message.h"
#include "runtime/core/reserve.h"
#include "runtime/profile/nvtx.h"

namespace tide {

void PlanRunner::run(const Submission& submission, uint64_t ticket, bool drop) {
  if (submission.plan)
    run_plan(submission, ticket, drop);
  else if (submission.run)
    run_task(submission, ticket);
}

void PlanRunner::decide_checks(uint64_t done) {
  if (pending_checks_.empty()) return;
  pending_checks_.decide(done, [this](uint64_t report) { return async_->take_report(report); });
}

void PlanRunner::run_task(const Submission& submission, uint64_t ticket) {
  try {
    if (!pending_checks_.empty()) {
      if (pending_checks_.decided_after(submission.input)) {
        backend_.finish();
        decide_checks(ticket);
      }
      if (submission.output) pending_checks_.derive(submission.output, {});
    }
    if (submission.bytes && profile::is_on()) [[unlikely]]
      profile_.time(ticket, event_of(submission), submission.run);
    else
      submission.run();
  } catch (const std::exception& error) {
    failures_.fail_all(submission,
                       new Failure(submission.name, submission.site,
                                   std::string(submission.name) + ": " + message_of(error)));
  }
}

void PlanRunner::run_plan(const Submission& submission, uint64_t ticket, bool drop) {
  if (submission.all_or_nothing && fail_together(submission, ticket, drop)) return;
  // In a graph single steps have no times.
  if (async_ && !profile::is_on()) async_->begin_plan(submission.plan->info);
  const BoundStep* failed_copy = nullptr;  // the step before, if it was the first half of a write
  Ref<Failure> failure;
  for (const BoundStep& bound : submission.steps) {
    if (bound.skip) continue;
    const StepCall call{submission, bound};
    if (!pending_checks_.empty() && bound.step->writes()) wait_for_checks(call, ticket);
    if (!failed_copy || bound.step->node != failed_copy->step->node)
      failure = attempt(call, ticket, drop);
    if (failure && submission.must_run && !attempt(call, ticket, drop)) {
      failures_.notice(call, failure);
      failure = {};
    } else if (failure) {
      fail(call, failure, drop);
    } else if (!errors_.empty()) {
      failures_.clear(call);
    }
    failed_copy = failure && bound.step->kind == Step::Kind::copy ? &bound : nullptr;
  }
  try {
    if (async_) async_->end_plan();
  } catch (const std::exception& error) {
    const Ref<Failure> together = failure_of(submission.steps.front(), error);
    for (const BoundStep& bound : submission.steps) failures_.fail({submission, bound}, together);
  }
}

/// Of steps that run whole or not at all: fails all if one may not run; whether that is so.
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

/// Launches the step if nothing is in its way; what went wrong, if anything. What is not known yet
/// is a pending check, unless somebody counts on a write.
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
      backend_.finish();
      outcome = {async_->take_report(*outcome.report), std::nullopt};
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

/// Steps that write to values, and those that are to run in any case, run to their end.
StopCheck PlanRunner::stop_check(const StepCall& call, uint64_t ticket) const {
  const bool writes = call.step.kind == Step::Kind::copy || call.step.writes();
  const bool runs_whole = call.submission.must_run || call.submission.all_or_nothing || writes ||
                          call.computes_again();
  return runs_whole ? StopCheck() : StopCheck{&dropped_until_, ticket};
}

/// Notes the failure of a step that may not run, for all of its results that cannot be had.
void PlanRunner::fail(const StepCall& call, const Ref<Failure>& failure, bool again_only) {
  const SalvageProgram partial = salvage(call, again_only);
  if (!partial.left.empty()) failures_.clear(call, &partial);
  failures_.fail(call, failure, partial);
}

/// Of a loop that may not run as a whole, computes what does not depend on lost values;
/// `again_only`: of that only what was a recomputable value before, which somebody may have read.
SalvageProgram PlanRunner::salvage(const StepCall& call, bool again_only) {
  if (call.step.kind != Step::Kind::loop) return {};
  if (again_only ? !call.computes_again() : errors_.empty()) return {};
  const std::vector<bool> lost = failures_.lost_buffers(call);
  if (!again_only && std::find(lost.begin(), lost.end(), true) == lost.end()) return {};
  const auto is_wanted = [&](uint32_t node) {
    if (!again_only) return true;
    const auto& outputs = call.step.outputs;
    const auto found = std::find(outputs.begin(), outputs.end(), node);
    return found != outputs.end() && call.is_again(static_cast<size_t>(found - outputs.begin()));
  };
  SalvageProgram partial;
  try {
    const ReserveUse none(false);
    partial = salvage_program_of(call.step, lost, is_wanted);
    if (std::count(partial.left.begin(), partial.left.end(), Left::nothing) ==
        static_cast<ptrdiff_t>(partial.left.size()))
      return {};
    backend_.launch(partial.loop, call.bases(), call.parameters());
  } catch (const std::exception&) {
    return {};  // the failure that is reported is the one before
  }
  if (!pending_checks_.empty()) mark_unchecked(call);
  return partial;
}

ComputeOutcome PlanRunner::launch_timed(const StepCall& call, uint64_t ticket) {
  ComputeOutcome outcome;
  if (call.step.kind == Step::Kind::nothing) return outcome;
  profile_.time(ticket, event_of(call), [&] { outcome = launch(call); });
  return outcome;
}

/// Launches the step. If the backend lacks memory, what the device has cached and nobody uses goes
/// back to it, for a second try.
ComputeOutcome PlanRunner::launch(const StepCall& call) {
  const profile::NvtxRange range(call.bound.name, call.bound.site.file, call.bound.site.line);
  const ReserveUse none(false);  // that is for saying what went wrong
  try {
    return launch_once(call);
  } catch (const MemoryError&) {
    if (!async_) throw;
  }
  backend_.finish();
  backend_.give_back_scratch();
  reclaim_(call.submission.number);
  return launch_once(call);
}

ComputeOutcome PlanRunner::launch_once(const StepCall& call) {
  const Step& step = call.step;
  switch (step.kind) {
    case Step::Kind::loop:
      backend_.launch(step.loop, call.bases(), call.parameters());
      return {};
    case Step::Kind::compute:
      return backend_.launch(step.compute, call.bases());
    case Step::Kind::copy:
      backend_.copy(call.bases()[1], call.bases()[0], step.bytes, CopyKind::within);
      return {};
    case Step::Kind::nothing:
      return {};
  }
  return {};
}

/// Waits until nothing is unchecked that the step reads or leaves.
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
      backend_.finish();
    else
      async_->wait(last);
  } catch (const std::exception&) {  // the step will meet the same
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

/// The step was launched: its results are unchecked if what they are computed from is.
void PlanRunner::mark_unchecked(const StepCall& call) {
  const Step& step = call.step;
  std::vector<std::vector<void*>> sources(step.buffers.size());  // of each that is stored
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
