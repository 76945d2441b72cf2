// Interruptible waits between threads.
#include "bindings/threads/waiting.h"

#include <string>

#include "bindings/module.h"
#include "bindings/support/arguments.h"
#include "bindings/threads/cancellation.h"
#include "runtime/ops/checks.h"
#include "runtime/record/queue.h"
#include "runtime/types/error.h"

namespace tide::bindings {

namespace {

bool forbidden = false;

}  // namespace

void check_may_have_threads(const char* function) {
  if (forbidden)
    throw Error(std::string(function) + ": threads and processes are not allowed in the sandbox");
}

double checked_timeout(std::optional<double> seconds, const char* function) {
  if (seconds) check_non_negative(function, "timeout", *seconds);
  return seconds.value_or(kForever);
}

void check_interrupt() {
  if (interrupt_requested) throw Interrupted();
  if (cancellation && cancellation->asked()) throw Error("cancelled");
}

}  // namespace tide::bindings

void tide_forbid_threads() { tide::bindings::forbidden = true; }
