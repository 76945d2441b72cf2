// Failures of steps in the error table.
#include "runtime/execute/failure/step_failures.h"

#include "runtime/device/simulation.h"

namespace tide {

Ref<Failure> failure_of(const BoundStep& bound, std::string_view what) {
  return Failure::of_work(bound.name, bound.site, what);
}

Ref<Failure> failure_of(const BoundStep& bound, const std::exception& error) {
  return Failure::of_work(bound.name, bound.site, error);
}

Ref<Failure> StepFailures::blocking_error(const StepCall& call, bool drop) {
  const Submission& submission = call.submission;
  const Step& step = call.step;
  if (drop || submission.cancelled) {
    const Ref<Failure> failure =
        failure_of(call.bound, drop ? "interrupted before it was done"
                                    : "the step it belongs to was cancelled");
    failure->is_known();  // to the code that interrupted
    return failure;
  }
  using Fault = Simulation::Fault;
  if (stream_.simulation &&
      stream_.simulation->fault(step.kind == Step::Kind::copy ? Fault::copy : Fault::op))
    return failure_of(call.bound, "the device failed (injected fault)");
  if (errors_.empty()) return {};
  const auto wrong_at = [&](void* address, bool also_lost) {
    const auto error = errors_.find(address);
    // The initial state may come from a value that a step has left unchanged.
    const bool wrong =
        error &&
        (error->lost ? also_lost : !submission.must_run && error->spoils(submission.number));
    return wrong ? error->failure : Ref<Failure>();
  };
  const bool all_or_nothing = submission.all_or_nothing;
  for (size_t i = 0; i < step.buffers.size(); ++i) {
    if (!step.is_read(i)) continue;
    // Before any step has run, the plan's own addresses still hold other values.
    if (all_or_nothing && step.buffers[i].source != BufferUse::Source::external) continue;
    if (const Ref<Failure> wrong = wrong_at(call.storage(i), true)) return wrong;
  }
  for (size_t f = 0; f < step.fallbacks.size(); ++f) {
    // Writing a part does not restore the rest of a lost value; writing an entire value does. But
    // an optimizer's step must not follow one that was not carried out.
    const bool external = step.fallbacks[f].old.source == BufferUse::Source::external;
    if (all_or_nothing ? external : step.writes_part(f))
      if (const Ref<Failure> wrong = wrong_at(call.fallback(f), !all_or_nothing)) return wrong;
  }
  return {};
}

std::vector<bool> StepFailures::lost_buffers(const StepCall& call) {
  std::vector<bool> lost(call.step.buffers.size());
  for (size_t i = 0; i < lost.size(); ++i) {
    if (!call.step.is_read(i)) continue;
    const auto error = errors_.find(call.storage(i));
    lost[i] = error && error->spoils(call.submission.number);
  }
  return lost;
}

/// Per buffer: why its stored value is lost. In a loop that is the first lost value that it depends
/// on; if it depends on none, `failure`.
std::vector<Ref<Failure>> StepFailures::causes(const StepCall& call, const Ref<Failure>& failure) {
  std::vector<Ref<Failure>> causes(call.step.buffers.size(), failure);
  if (errors_.empty() || call.step.kind != Step::Kind::loop) return causes;
  const std::vector<bool> lost = lost_buffers(call);
  for (size_t i = lost.size(); i-- > 0;) {
    if (!lost[i]) continue;
    std::vector<bool> source(lost.size());
    source[i] = true;
    const std::vector<bool> dependent = dependent_stores(call.step, source);
    const Ref<Failure> cause = errors_.find(call.storage(i))->failure;
    for (size_t k = 0; k < causes.size(); ++k)
      if (dependent[k]) causes[k] = cause;
  }
  return causes;
}

void StepFailures::fail(const StepCall& call, const Ref<Failure>& failure,
                        const SalvageProgram& partial) {
  const Step& step = call.step;
  const std::vector<Ref<Failure>> causes = this->causes(call, failure);
  const auto fail_at = [&](void* address, const Ref<Failure>& cause, bool lost) {
    errors_.set(address, {cause, lost});
    pending_checks_.derive(address, {});
  };
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const size_t buffer = step.buffer_of(step.outputs[i]);
    const Left left = partial.of_buffer(buffer);
    if (left == Left::whole) continue;
    fail_at(call.output(i), buffer < causes.size() ? causes[buffer] : failure,
            left == Left::nothing && !keep_value_before(call, i));
  }
  // Temporaries belong to no node: the steps that read them need the error too.
  for (size_t i = 0; i < step.buffers.size(); ++i)
    if (step.buffers[i].source == BufferUse::Source::temporary && step.is_stored(i) &&
        partial.of_buffer(i) == Left::nothing)
      fail_at(call.storage(i), causes[i], true);
}

/// Restores the output's fallback value; returns whether there is one.
bool StepFailures::keep_value_before(const StepCall& call, size_t output) {
  const Step& step = call.step;
  for (size_t f = 0; f < step.fallbacks.size(); ++f) {
    const Step::Fallback& fallback = step.fallbacks[f];
    if (fallback.output != step.outputs[output] || fallback.lost) continue;
    void* const old = call.fallback(f);
    const auto error = errors_.find(old);
    if (error && error->lost) continue;
    try {
      if (old != call.output(output))
        stream_.copy(call.output(output), old, fallback.bytes, CopyKind::within);
      return true;
    } catch (const std::exception&) {  // the device was lost with both
    }
  }
  return false;
}

void StepFailures::fail_all(const Submission& submission, const Ref<Failure>& failure) {
  for (const BoundStep& bound : submission.steps)
    for (size_t i = 0; i < bound.step->outputs.size(); ++i)
      errors_.set(submission.address(bound.outputs + i), {failure, true});
  if (submission.output) errors_.set(submission.output, {failure, true});
}

void StepFailures::notice(const StepCall& call, const Ref<Failure>& failure) {
  for (size_t i = 0; i < call.step.outputs.size(); ++i)
    errors_.set(call.output(i), {failure, false});
}

void StepFailures::clear(const StepCall& call, const SalvageProgram* partial) {
  const Step& step = call.step;
  for (size_t i = 0; i < step.outputs.size(); ++i)
    if (!partial || partial->of_buffer(step.buffer_of(step.outputs[i])) == Left::whole)
      errors_.clear(call.output(i));
  for (size_t i = 0; i < step.buffers.size(); ++i)
    if (step.buffers[i].source == BufferUse::Source::temporary && step.is_stored(i) &&
        (!partial || partial->of_buffer(i) == Left::whole))
      errors_.clear(call.storage(i));
}

}  // namespace tide
