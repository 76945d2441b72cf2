// Whether what a thread computes for a queue was dropped: a long op asks between two pieces.
#pragma once

#include <atomic>
#include <cstdint>

namespace tide {

/// Asks whether work of a ticket goes on.
struct StopCheck {
  const std::atomic<uint64_t>* dropped_until = nullptr;  ///< null: it runs to its end
  uint64_t ticket = 0;

  bool is_dropped() const {
    return dropped_until && dropped_until->load(std::memory_order_acquire) >= ticket;
  }
};

/// Of the step that this thread runs. Who finds it dropped throws Interrupted.
inline thread_local StopCheck step_check;

/// Puts a check in force for the time of a step.
class CheckedStep {
 public:
  explicit CheckedStep(const StopCheck& check) { step_check = check; }
  ~CheckedStep() { step_check = {}; }
  CheckedStep(const CheckedStep&) = delete;
  CheckedStep& operator=(const CheckedStep&) = delete;
};

}  // namespace tide
