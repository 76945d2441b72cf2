// The part of a loop that remains if some of its inputs are lost, or only some outputs are needed.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/plan/plan.h"

namespace tide {

/// The state of an array that a loop stores.
enum class Left : uint8_t {
  nothing,  ///< depends on a lost value
  older,    ///< the value before a write that depends on a lost value
  whole     ///< does not depend on a lost value
};

struct SalvageProgram {
  /// Takes the addresses and scalars of the original loop; stores nothing if all is lost.
  LoopStep loop;
  std::vector<Left> left;  ///< per buffer of the step; `nothing` for inputs

  /// The state of the array in buffer i; `nothing` in an empty salvage program.
  Left of_buffer(size_t i) const { return i < left.size() ? left[i] : Left::nothing; }
};

/// Per buffer of any step: whether its stored value depends on one of the `sources` that the step
/// reads.
std::vector<bool> dependent_stores(const Step& step, const std::vector<bool>& sources);

/// The part of a loop that does not depend on lost buffers; stores only the nodes that are wanted.
SalvageProgram salvage_program_of(const Step& step, const std::vector<bool>& lost,
                                  const std::function<bool(uint32_t node)>& is_wanted);

}  // namespace tide
