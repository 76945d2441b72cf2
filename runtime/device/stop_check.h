// Whether the work of a thread for a queue was dropped: a long op checks between two pieces.
#pragma once

#include <atomic>
#include <cstdint>

namespace tide {

/// Checks whether work of a ticket was dropped.
struct StopCheck {
  const std::atomic<uint64_t>* dropped_until = nullptr;  ///< null: cannot be dropped
  uint64_t ticket = 0;

  bool is_dropped() const {
    return dropped_until && dropped_until->load(std::memory_order_acquire) >= ticket;
  }
};

/// Of the step that this thread runs. Code that finds it dropped throws Interrupted.
inline thread_local StopCheck step_check;

/// Installs a check for the duration of a step.
class CheckedStep {
 public:
  explicit CheckedStep(const StopCheck& check) { step_check = check; }
  ~CheckedStep() { step_check = {}; }
  CheckedStep(const CheckedStep&) = delete;
  CheckedStep& operator=(const CheckedStep&) = delete;
};

}  // namespace tide
