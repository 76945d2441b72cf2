// Errors that keep a step from running, and the state of the results of a step that did not run.
#pragma once

#include <exception>
#include <string_view>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/error_table.h"
#include "runtime/execute/failure/salvage_program.h"
#include "runtime/execute/pending_checks.h"
#include "runtime/execute/submission.h"

namespace tide {

/// A failure of the step with this message or error.
Ref<Failure> failure_of(const BoundStep& bound, std::string_view what);
Ref<Failure> failure_of(const BoundStep& bound, const std::exception& error);

/// Updates the error table as steps run and fail. Used by the queue's thread.
class StepFailures {
 public:
  StepFailures(StreamBackend& stream, ErrorTable& errors, PendingChecks& pending_checks)
      : stream_(stream), errors_(errors), pending_checks_(pending_checks) {}

  /// Why the step must not run; null: it may. `drop`: it was interrupted.
  Ref<Failure> blocking_error(const StepCall& call, bool drop);
  /// Per buffer: whether its input value is lost.
  std::vector<bool> lost_buffers(const StepCall& call);
  /// Results that are not in the salvage program are lost, or keep their previous value.
  void fail(const StepCall& call, const Ref<Failure>& failure, const SalvageProgram& partial = {});
  /// All results of the submission are lost.
  void fail_all(const Submission& submission, const Ref<Failure>& failure);
  /// The results are valid, but all-or-nothing steps wait until the failure is reported.
  void notice(const StepCall& call, const Ref<Failure>& failure);
  /// After a step that ran: errors of the values that it overwrote no longer apply. For a salvage
  /// program, only for outputs that are `whole`.
  void clear(const StepCall& call, const SalvageProgram* partial = nullptr);

 private:
  std::vector<Ref<Failure>> causes(const StepCall& call, const Ref<Failure>& failure);
  bool keep_value_before(const StepCall& call, size_t output);

  StreamBackend& stream_;
  ErrorTable& errors_;
  PendingChecks& pending_checks_;
};

}  // namespace tide
