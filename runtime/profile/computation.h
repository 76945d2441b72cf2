// What a compute op worked on, as a profile keeps it.
#pragma once

#include <vector>

#include "runtime/core/dtype.h"
#include "runtime/core/shape.h"

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

/// The one copy of it, which lives as long as the process. From any thread.
const Computation* keep_computation(const Computation& computation);

}  // namespace tide::profile
