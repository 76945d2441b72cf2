// The work of a queue: its submissions, and what runs them.
#pragma once

#include <vector>

#include "runtime/execute/independent_batches.h"
#include "runtime/execute/plan_runner.h"
#include "runtime/execute/submission.h"
#include "runtime/record/queue.h"

namespace tide {

/// Used by the queue's thread, and those with which it shares work; submissions that are not queued
/// yet, by the thread that fills them.
struct QueueWork {
  PlanRunner runner;
  std::vector<Submission> ring;
  IndependentBatches batches{};
};

}  // namespace tide
