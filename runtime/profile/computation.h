// The operands of a compute op, as a profile records them.
#pragma once

#include <vector>

#include "runtime/types/dtype.h"
#include "runtime/types/shape.h"

namespace tide::profile {

/// An array that a compute op read or wrote.
struct Operand {
  DType type = DType::f32;
  Layout layout;

  friend bool operator==(const Operand& a, const Operand& b) = default;
};

struct Computation {
  const char* name = "";  ///< of the compute op, a literal
  std::vector<Operand> inputs, outputs;

  friend bool operator==(const Computation& a, const Computation& b) = default;
};

/// Returns the unique copy, which lives as long as the process. Callable from any thread.
const Computation* keep_computation(const Computation& computation);

}  // namespace tide::profile
