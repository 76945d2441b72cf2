// Waiting of threads for each other.
#include "bindings/threads/waiting.h"

#include <string>

#include "bindings/module.h"
#include "runtime/core/error.h"
#include "runtime/device/work_queue.h"

namespace tide::bindings {

constinit thread_local const std::atomic<bool>* cancelled = nullptr;

namespace {

bool forbidden = false;

}  // namespace

void check_may_have_threads(const char* function) {
  if (forbidden) throw Error(std::string(function) + ": a script in the sandbox has one thread");
}

void check_interrupt() {
  if (interrupt_requested) throw Interrupted();
  if (cancelled && *cancelled) throw Error("cancelled");
}

}  // namespace tide::bindings

void tide_forbid_threads() { tide::bindings::forbidden = true; }
