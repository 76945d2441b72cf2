// The interface of backends that can inject faults.
#pragma once

#include <cstdint>

namespace tide {

/// Faults requested by a script, to test error handling. Thread-safe.
class FaultInjection {
 public:
  virtual ~FaultInjection() = default;
  enum class Fault : uint8_t { op, allocation, copy };
  /// Whether a step of this kind must fail now: each call counts.
  virtual bool fault(Fault kind) = 0;
};

}  // namespace tide
