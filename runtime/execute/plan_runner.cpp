// The steps of a plan: launches, what is unchecked, and what becomes of a step that fails.
#include "runtime/execute/plan_runner.h"

#include <algorithm>

#include "runtime/core/error.h"
#include "runtime/core/error_message.h"
#include "runtime/core/reserve.h"

namespace tide {
namespace {

/// That the step went wrong, and what is the matter.
Ref<Failure> failure_of(const BoundStep& bound, const std::string& what) {
  return new Failure(bound.name, bound.site, std::string(bound.name) + ": " + what);
}

Ref<Failure> failure_of(const BoundStep& bound, const std::exception& error) {
  Ref<Failure> failure = failure_of(bound, message_of(error));
  failure->shortage = is_shortage(error);
  return failure;
}

}  // namespace

void PlanRunner::run(const Submission& submission, uint64_t ticket, bool drop) {
  if (submission.plan)
    run_plan(submission, ticket, drop);
  else if (submission.run)
    run_task(submission, ticket);
}

void PlanRunner::fail_all(const Submission& submission, const Ref<Failure>& failure) {
  for (const BoundStep& bound : submission.steps)
    for (size_t i = 0; i < bound.step->outputs.size(); ++i)
      failures_.set(submission.address(bound.outputs + i), {failure, true});
  if (submission.output) failures_.set(submission.output, {failure, true});
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
    submission.run();
  } catch (const std::exception& error) {
    if (submission.output)
      failures_.set(submission.output,
                    {new Failure(submission.name, submission.site,
                                 std::string(submission.name) + ": " + message_of(error)),
                     true});
  }
}

void PlanRunner::run_plan(const Submission& submission, uint64_t ticket, bool drop) {
  if (submission.all_or_nothing) {
    for (const BoundStep& bound : submission.steps)
      if (!pending_checks_.empty()) wait_for_checks(submission, bound, ticket);
    for (const BoundStep& bound : submission.steps) {
      const Ref<Failure> failure = blocking_error(submission, bound, drop);
      if (!failure) continue;
      for (const BoundStep& each : submission.steps) fail(submission, each, failure);
      return;
    }
  }
  if (async_) async_->begin_plan(*submission.plan);
  const BoundStep* failed_copy = nullptr;  // the step before, if it was the first half of a write
  Ref<Failure> failure;
  for (const BoundStep& bound : submission.steps) {
    if (bound.skip) continue;
    if (!pending_checks_.empty() && !bound.step->fallbacks.empty())
      wait_for_checks(submission, bound, ticket);
    if (!failed_copy || bound.step->node != failed_copy->step->node)
      failure = attempt(submission, bound, ticket, drop);
    if (failure && submission.must_run && !attempt(submission, bound, ticket, drop)) {
      for (size_t i = 0; i < bound.step->outputs.size(); ++i)
        failures_.set(submission.address(bound.outputs + i), {failure, false});
      failure = {};
    } else if (failure) {
      const SalvageProgram partial = drop ? SalvageProgram() : salvage(submission, bound);
      if (!partial.left.empty()) clear_failures(submission, bound, &partial);
      fail(submission, bound, failure, partial);
    } else if (!failures_.empty()) {
      clear_failures(submission, bound);
    }
    failed_copy = failure && bound.step->kind == Step::Kind::copy ? &bound : nullptr;
  }
  try {
    if (async_) async_->end_plan();
  } catch (const std::exception& error) {
    const Ref<Failure> together = failure_of(submission.steps.front(), error);
    for (const BoundStep& bound : submission.steps) fail(submission, bound, together);
  }
}

/// Launches the step if nothing is in its way; what went wrong, if anything.
Ref<Failure> PlanRunner::attempt(const Submission& submission, const BoundStep& bound,
                                 uint64_t ticket, bool drop) {
  if (!submission.all_or_nothing)
    if (Ref<Failure> failure = blocking_error(submission, bound, drop && !submission.must_run))
      return failure;
  return try_step(submission, bound, ticket);
}

/// Of a loop that reads lost values, computes what does not depend on them.
SalvageProgram PlanRunner::salvage(const Submission& submission, const BoundStep& bound) {
  const Step& step = *bound.step;
  if (step.kind != Step::Kind::loop || failures_.empty()) return {};
  std::vector<bool> lost(step.buffers.size());
  for (size_t i = 0; i < lost.size(); ++i) {
    if (!step.is_read(i)) continue;
    const auto value_error = failures_.find(submission.address(bound.storages + i));
    lost[i] = value_error && value_error->spoils(submission.number);
  }
  if (std::find(lost.begin(), lost.end(), true) == lost.end()) return {};
  SalvageProgram partial;
  try {
    const ReserveUse none(false);
    partial = salvage_program_of(step, lost);
    if (std::count(partial.left.begin(), partial.left.end(), Left::nothing) ==
        static_cast<ptrdiff_t>(partial.left.size()))
      return {};
    backend_.launch(partial.loop,
                    reinterpret_cast<void* const*>(submission.words.data() + bound.bases),
                    submission.words.data() + bound.parameters);
  } catch (const std::exception&) {
    return {};  // the failure that is reported is the one before
  }
  if (!pending_checks_.empty()) mark_unchecked(submission, bound);
  return partial;
}

/// Launches the step; what went wrong, if anything. What is not known yet is a pending check,
/// unless somebody counts on a write.
Ref<Failure> PlanRunner::try_step(const Submission& submission, const BoundStep& bound,
                                  uint64_t ticket) {
  try {
    ComputeOutcome outcome = launch(submission, bound);
    launches_.fetch_add(1, std::memory_order_relaxed);
    const bool writes = submission.all_or_nothing || !bound.step->fallbacks.empty();
    if (outcome.report && writes) {
      backend_.finish();
      outcome = {async_->take_report(*outcome.report), std::nullopt};
    }
    if (outcome.failure) return failure_of(bound, *outcome.failure);
    if (!pending_checks_.empty()) mark_unchecked(submission, bound);
    if (outcome.report) add_check(submission, bound, ticket, *outcome.report);
    return {};
  } catch (const std::exception& error) {
    return failure_of(bound, error);
  }
}

/// All results of a compute op are unchecked until it has reported.
void PlanRunner::add_check(const Submission& submission, const BoundStep& bound, uint64_t ticket,
                           uint64_t report) {
  std::vector<void*> results;
  for (size_t i = 0; i < bound.step->buffers.size(); ++i)
    if (bound.step->is_stored(i)) results.push_back(submission.address(bound.storages + i));
  pending_checks_.add(report, ticket, failure_of(bound, ""), results);
}

Ref<Failure> PlanRunner::blocking_error(const Submission& submission, const BoundStep& bound,
                                        bool drop) {
  if (drop || submission.cancelled) {
    const Ref<Failure> failure = failure_of(
        bound, drop ? "interrupted before it ran" : "the step it belongs to was given up");
    failure->is_known();  // by whoever interrupted
    return failure;
  }
  using Fault = FaultInjection::Fault;
  if (faults_ && faults_->fault(bound.step->kind == Step::Kind::copy ? Fault::copy : Fault::op))
    return failure_of(bound, "the device failed (injected fault)");
  if (failures_.empty()) return {};
  const Step& step = *bound.step;
  const auto wrong_at = [&](size_t place, bool also_lost) -> Ref<Failure> {
    const auto value_error = failures_.find(submission.address(place));
    if (!value_error) return {};
    // What steps start from may come from a value that a step has left as it was.
    const bool wrong = value_error->lost
                           ? also_lost
                           : !submission.must_run && value_error->spoils(submission.number);
    return wrong ? value_error->failure : Ref<Failure>();
  };
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    if (!step.is_read(i)) continue;
    // Before any step has run, what is at the plan's own addresses is left from other values.
    if (submission.all_or_nothing && step.buffers[i].source != BufferUse::Source::external)
      continue;
    if (const Ref<Failure> wrong = wrong_at(bound.storages + i, true)) return wrong;
  }
  for (size_t f = 0; f < step.fallbacks.size(); ++f) {
    // A part that is written does not bring the rest of a lost value back; a whole value does. But
    // an optimizer's step does not follow on one that was not carried out.
    const bool external = step.fallbacks[f].old.source == BufferUse::Source::external;
    if (submission.all_or_nothing ? external : step.writes_part(f))
      if (const Ref<Failure> wrong = wrong_at(bound.fallbacks + f, !submission.all_or_nothing))
        return wrong;
  }
  return {};
}

/// What of the step's results is not in the salvage program is lost, or the value before.
void PlanRunner::fail(const Submission& submission, const BoundStep& bound,
                      const Ref<Failure>& failure, const SalvageProgram& partial) {
  const Step& step = *bound.step;
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const Left left = partial.of_output(step, step.outputs[i]);
    if (left == Left::whole) continue;
    void* address = submission.address(bound.outputs + i);
    bool lost = left == Left::nothing;
    for (size_t f = 0; f < step.fallbacks.size() && lost; ++f) {
      if (step.fallbacks[f].output != step.outputs[i]) continue;
      void* old = submission.address(bound.fallbacks + f);
      const auto spoilt = failures_.find(old);
      lost = step.fallbacks[f].lost || (spoilt && spoilt->lost);
      try {
        if (!lost && old != address)
          backend_.copy(address, old, step.fallbacks[f].bytes, CopyKind::within);
      } catch (const std::exception&) {
        lost = true;  // the device went with both
      }
    }
    failures_.set(address, {failure, lost});
    pending_checks_.derive(address, {});
  }
  // Temporaries are no node's: the steps that read them must know too.
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    if (step.buffers[i].source != BufferUse::Source::temporary || !step.is_stored(i) ||
        partial.of_buffer(i) != Left::nothing)
      continue;
    void* address = submission.address(bound.storages + i);
    failures_.set(address, {failure, true});
    pending_checks_.derive(address, {});
  }
}

/// After a step that ran: what was wrong with the values that it wrote over is of no account. Of a
/// salvage program this holds for what is whole.
void PlanRunner::clear_failures(const Submission& submission, const BoundStep& bound,
                                const SalvageProgram* partial) {
  const Step& step = *bound.step;
  const auto clear = [&](size_t place) { failures_.clear(submission.address(place)); };
  for (size_t i = 0; i < step.outputs.size(); ++i)
    if (!partial || partial->of_output(step, step.outputs[i]) == Left::whole)
      clear(bound.outputs + i);
  for (size_t i = 0; i < step.buffers.size(); ++i)
    if (step.buffers[i].source == BufferUse::Source::temporary && step.is_stored(i) &&
        (!partial || partial->of_buffer(i) == Left::whole))
      clear(bound.storages + i);
}

/// Launches the step. If the backend lacks memory, what the device has cached and nobody uses goes
/// back to it, for a second try.
ComputeOutcome PlanRunner::launch(const Submission& submission, const BoundStep& bound) {
  const ReserveUse none(false);  // that is for saying what went wrong
  try {
    return launch_once(submission, bound);
  } catch (const MemoryError&) {
    if (!async_) throw;
  }
  backend_.finish();
  backend_.give_back_scratch();
  reclaim_(submission.number);
  return launch_once(submission, bound);
}

ComputeOutcome PlanRunner::launch_once(const Submission& submission, const BoundStep& bound) {
  const Step& step = *bound.step;
  const uint64_t* words = submission.words.data();
  void* const* bases = reinterpret_cast<void* const*>(words + bound.bases);
  switch (step.kind) {
    case Step::Kind::loop:
      backend_.launch(step.loop, bases, words + bound.parameters);
      return {};
    case Step::Kind::compute:
      return backend_.launch(step.compute, bases);
    case Step::Kind::copy:
      backend_.copy(bases[1], bases[0], step.bytes, CopyKind::within);
      return {};
    case Step::Kind::nothing:
      return {};
  }
  return {};
}

/// Waits until nothing is unchecked that the step reads or leaves.
void PlanRunner::wait_for_checks(const Submission& submission, const BoundStep& bound,
                                 uint64_t ticket) {
  const Step& step = *bound.step;
  uint64_t last = 0;
  const auto look_at = [&](size_t place) {
    last = std::max(last, pending_checks_.decided_after(submission.address(place)));
  };
  for (size_t i = 0; i < step.buffers.size(); ++i)
    if (step.is_read(i)) look_at(bound.storages + i);
  for (size_t f = 0; f < step.fallbacks.size(); ++f) look_at(bound.fallbacks + f);
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

/// The step was launched: its results are unchecked if what they are computed from is.
void PlanRunner::mark_unchecked(const Submission& submission, const BoundStep& bound) {
  const Step& step = *bound.step;
  const auto address = [&](size_t buffer) { return submission.address(bound.storages + buffer); };
  std::vector<std::vector<void*>> sources(step.buffers.size());  // of each that is stored
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    if (!step.is_read(i) || !pending_checks_.decided_after(address(i))) continue;
    std::vector<bool> unchecked(step.buffers.size());
    unchecked[i] = true;
    const std::vector<bool> dependent = dependent_stores(step, unchecked);
    for (size_t k = 0; k < dependent.size(); ++k)
      if (dependent[k]) sources[k].push_back(address(i));
  }
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    if (!step.is_stored(i)) continue;
    const BufferUse& use = step.buffers[i];
    if (use.source == BufferUse::Source::temporary || step.makes(use.index))
      pending_checks_.derive(address(i), sources[i]);
    else
      pending_checks_.derive_part(address(i), sources[i]);
  }
}

}  // namespace tide
