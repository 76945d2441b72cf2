// Explains the windows that a thread flushes during a period.
#pragma once

#include <vector>

#include "runtime/explain/explanation.h"

namespace tide {

/// During its lifetime, explains all windows that this thread flushes, and its copies. At most one
/// per thread at a time.
class Capture {
 public:
  /// Throws Error if this thread already has one.
  Capture();
  Capture(const Capture&) = delete;
  ~Capture();

  /// The flushed windows, in order.
  const std::vector<ExplainedWindow>& windows() const { return windows_; }

 private:
  ValueNumbers numbers_;
  std::vector<ExplainedWindow> windows_;
  const FlushObserver observer_;
};

}  // namespace tide
