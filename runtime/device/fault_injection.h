// What a backend can do beside Backend if it fails on request.
#pragma once

#include <cstdint>

namespace tide {

/// Faults that a script asks for, to see what becomes of them. Thread-safe.
class FaultInjection {
 public:
  virtual ~FaultInjection() = default;
  enum class Fault : uint8_t { op, allocation, copy };
  /// Whether a step of this kind is to fail now: each call counts.
  virtual bool fault(Fault kind) = 0;
};

}  // namespace tide
