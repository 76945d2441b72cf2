// What is left of a loop when some of the values that it reads are lost, or only some are wanted.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/plan/plan.h"

namespace tide {

/// What became of an array that a loop stores.
enum class Left : uint8_t {
  nothing,  ///< depends on a lost value
  older,    ///< the value before a write that depends on one
  whole     ///< does not depend on one
};

struct SalvageProgram {
  /// Takes the addresses and numbers of the whole loop; stores nothing if all is lost.
  LoopStep loop;
  std::vector<Left> left;  ///< per buffer of the step; `nothing` for those that are read

  /// What became of output `node`; `nothing` in a salvage program that is empty.
  Left of_output(const Step& step, uint16_t node) const;
  /// What became of the array in buffer i.
  Left of_buffer(size_t i) const { return i < left.size() ? left[i] : Left::nothing; }
};

/// Per buffer of any step: whether what is stored there depends on one of the `sources` that it
/// reads.
std::vector<bool> dependent_stores(const Step& step, const std::vector<bool>& sources);

/// The part of a loop that does not depend on the lost ones of its buffers; of the nodes that it
/// stores, those that are wanted.
SalvageProgram salvage_program_of(const Step& step, const std::vector<bool>& lost,
                                  const std::function<bool(uint32_t node)>& is_wanted);

}  // namespace tide
