// Waiting of threads for each other.
#include "bindings/threads/waiting.h"

#include "runtime/core/error.h"
#include "runtime/device/work_queue.h"

namespace tide::bindings {

constinit thread_local const std::atomic<bool>* cancelled = nullptr;

void check_interrupt() {
  if (interrupt_requested) throw Interrupted();
  if (cancelled && *cancelled) throw Error("cancelled");
}

}  // namespace tide::bindings
