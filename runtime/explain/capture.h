// Explains what a thread flushes for a while.
#pragma once

#include <vector>

#include "runtime/explain/explanation.h"

namespace tide {

/// From its making to its end, all windows that this thread flushes, and its copies, are explained.
/// One at a time on a thread.
class Capture : private FlushObserver {
 public:
  /// Throws Error if there is one on this thread.
  Capture();
  Capture(const Capture&) = delete;
  ~Capture() override;

  /// What was flushed, in order.
  const std::vector<ExplainedWindow>& windows() const { return windows_; }

 private:
  void flushing(const Window& window, const FlushCause& cause) override;
  void copied(const Node& source, const Node& copy) override;

  ValueNumbers numbers_;
  std::vector<ExplainedWindow> windows_;
};

}  // namespace tide
