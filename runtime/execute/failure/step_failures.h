// What keeps a step from running, and what becomes of the results of one that did not.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/error_table.h"
#include "runtime/device/fault_injection.h"
#include "runtime/execute/failure/salvage_program.h"
#include "runtime/execute/pending_checks.h"
#include "runtime/execute/submission.h"

namespace tide {

/// That the step went wrong, and what is the matter.
Ref<Failure> failure_of(const BoundStep& bound, const std::string& what);
Ref<Failure> failure_of(const BoundStep& bound, const std::exception& error);

/// Keeps the error table as steps run and fail. Used by the queue's thread.
class StepFailures {
 public:
  StepFailures(Backend& backend, ErrorTable& errors, PendingChecks& pending_checks)
      : backend_(backend),
        faults_(backend.fault_injection()),
        errors_(errors),
        pending_checks_(pending_checks) {}

  /// Why the step may not run; null: it may. `drop`: it was interrupted.
  Ref<Failure> blocking_error(const StepCall& call, bool drop);
  /// Per buffer: whether what is read there is lost.
  std::vector<bool> lost_buffers(const StepCall& call);
  /// What of the step's results is not in the salvage program is lost, or the value before.
  void fail(const StepCall& call, const Ref<Failure>& failure, const SalvageProgram& partial = {});
  /// All results of the submission are lost.
  void fail_all(const Submission& submission, const Ref<Failure>& failure);
  /// The results are there, but steps that run whole or not at all wait until the failure was
  /// reported.
  void notice(const StepCall& call, const Ref<Failure>& failure);
  /// After a step that ran: what was wrong with the values that it wrote over is of no account. Of
  /// a salvage program this holds for what is whole.
  void clear(const StepCall& call, const SalvageProgram* partial = nullptr);

 private:
  bool keep_value_before(const StepCall& call, size_t output);

  Backend& backend_;
  FaultInjection* const faults_;  ///< null: none
  ErrorTable& errors_;
  PendingChecks& pending_checks_;
};

}  // namespace tide
