#include "runtime/explain/capture.h"

#include "runtime/explain/reasons.h"
#include "runtime/types/error.h"

namespace tide {

Capture::Capture()
    : observer_{[this](const Window& window, const FlushCause& cause) {
                  windows_.push_back(explain(window, numbers_));
                  windows_.back().cause = reason_text(cause);
                },
                [this](const Node& source, const Node& copy) {
                  windows_.push_back(explain_copy(source, copy, numbers_));
                }} {
  if (flush_observer) throw Error("explain: the function calls explain itself");
  flush_observer = &observer_;
}

Capture::~Capture() { flush_observer = nullptr; }

}  // namespace tide
