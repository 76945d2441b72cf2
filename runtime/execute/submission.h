// What a queue is given to run.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/device/work_queue.h"
#include "runtime/plan/plan.h"

namespace tide {

/// One step of a plan with its addresses, in a submission.
struct BoundStep {
  static constexpr uint32_t kNone = ~0u;
  const Step* step;
  // First place in Submission::words of, each:
  uint32_t bases;          ///< the addresses of its buffers, offsets included
  uint32_t storages;       ///< the addresses of the values that these lie in
  uint32_t outputs;        ///< the addresses of its outputs
  uint32_t fallbacks;      ///< the addresses of what they fall back to
  uint32_t parameters;     ///< its numbers
  uint32_t again = kNone;  ///< per output: whether it was a recomputable value before; none was
  uint32_t source;         ///< its ops, for a profile: see profile::source_of
  bool skip = false;       ///< a copy that is not needed this time
  const char* name;
  CallSite site;
};

/// What is flushed at once: a plan with addresses, or a task. With a plan, name and site are those
/// of the first step.
struct Submission : Task {
  Ref<Plan> plan;
  std::vector<BoundStep> steps;
  std::vector<uint64_t> words;
  bool all_or_nothing = false;  ///< no step runs if one may not (a whole optimizer step)
  /// What steps start from (an optimizer's state): it is made even if what is queued is dropped,
  /// and tried again if it fails. Then steps that run whole or not at all do not run until
  /// that failure was reported.
  bool must_run = false;
  bool cancelled = false;  ///< no step runs: what was recorded is only a part of such a whole

  /// The address of a value, or a part of it.
  void* address(size_t place) const { return reinterpret_cast<void*>(words[place]); }
  /// Empties it. Whose work it was stays known: a device that was lost is reported with that.
  void reset() {
    plan = {};
    steps.clear();
    words.clear();
    all_or_nothing = must_run = cancelled = false;
    run = nullptr;
    output = nullptr;
    input = nullptr;
    ops = 0;
    bytes = 0;
  }
};

/// A step of a submission under way, with what lies where.
struct StepCall {
  const Submission& submission;
  const BoundStep& bound;
  const Step& step = *bound.step;

  /// The value that buffer i lies in.
  void* storage(size_t i) const { return submission.address(bound.storages + i); }
  void* output(size_t i) const { return submission.address(bound.outputs + i); }
  void* fallback(size_t f) const { return submission.address(bound.fallbacks + f); }
  void* const* bases() const {
    return reinterpret_cast<void* const*>(submission.words.data() + bound.bases);
  }
  /// Whether some output was a recomputable value before. A script may have read it, so it must not
  /// go away when what is queued is dropped.
  bool computes_again() const { return bound.again != BoundStep::kNone; }
  bool is_again(size_t i) const { return computes_again() && submission.words[bound.again + i]; }
  const uint64_t* parameters() const { return submission.words.data() + bound.parameters; }
};

}  // namespace tide
