// The work items of a queue.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/plan/plan.h"
#include "runtime/record/queue.h"

namespace tide {

/// A step of a plan with its addresses, in a submission.
struct BoundStep {
  static constexpr uint32_t kNone = ~0u;
  const Step* step;
  // Start in Submission::words of:
  uint32_t bases;                   ///< the addresses of its buffers, offsets included
  uint32_t storages;                ///< the addresses of the values that contain them
  uint32_t outputs;                 ///< the addresses of its outputs
  uint32_t fallbacks;               ///< the addresses of its fallback values
  uint32_t parameters;              ///< its scalars
  uint32_t rematerialized = kNone;  ///< per output: was a recomputable value; kNone: none
  uint32_t source;                  ///< its ops, for a profile: see profile::source_of
  bool skip = false;                ///< a copy that is not needed this time
  const char* name;
  CallSite site;
};

/// The unit of a flush: a plan with addresses, or a task. With a plan, name and site are those of
/// the first step.
struct Submission : Task {
  Ref<Plan> plan;
  std::vector<BoundStep> steps;
  std::vector<uint64_t> words;
  bool all_or_nothing = false;  ///< no step runs if one must not (an entire optimizer step)
  /// Creates state that steps start from (an optimizer's state): it runs even if the queue is
  /// dropped, and is retried if it fails. After a failure, all-or-nothing steps do not run until it
  /// is reported.
  bool must_run = false;
  bool cancelled = false;  ///< no step runs: recording of an all-or-nothing step was incomplete

  /// The address of a value, or a part of it.
  void* address(size_t place) const { return reinterpret_cast<void*>(words[place]); }
  /// Clears it, except name, site and number: the loss of a device is reported with those.
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

/// A step of a running submission, with access to its addresses.
struct StepCall {
  const Submission& submission;
  const BoundStep& bound;
  const Step& step = *bound.step;

  /// The value that contains buffer i.
  void* storage(size_t i) const { return submission.address(bound.storages + i); }
  void* output(size_t i) const { return submission.address(bound.outputs + i); }
  void* fallback(size_t f) const { return submission.address(bound.fallbacks + f); }
  void* const* bases() const {
    return reinterpret_cast<void* const*>(submission.words.data() + bound.bases);
  }
  /// Whether some output was a recomputable value before. A script may have read it, so it must not
  /// be lost when the queue is dropped.
  bool rematerializes() const { return bound.rematerialized != BoundStep::kNone; }
  bool is_rematerialized(size_t i) const {
    return rematerializes() && submission.words[bound.rematerialized + i];
  }
  const uint64_t* parameters() const { return submission.words.data() + bound.parameters; }
};

}  // namespace tide
