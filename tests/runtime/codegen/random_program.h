// Random loop programs with data to run them on.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "runtime/ir/loop.h"

namespace tide::test {

/// A program, sizes, and memory for all of its operands.
struct LoopCase {
  LoopProgram program;
  std::vector<int64_t> extents;
  std::vector<int64_t> strides;
  std::vector<uint64_t> parameters;
  std::vector<std::vector<uint8_t>> memory;  ///< of each operand
  std::vector<int64_t> offsets;              ///< of element 0 in it, in bytes; an iota's start
  std::vector<size_t> outputs;               ///< the operands that are stored to

  /// Valid until memory changes.
  std::vector<void*> bases();
  int64_t row_length() const { return program.has_row ? extents[program.outer_rank] : 0; }
};

enum class LoopKind : uint8_t { map, row, partial, single_block };

/// A program of the kind over rows (or, for maps, last dimensions) of `length`. With
/// `fused_multiply` the ops that need it to agree with the reference may occur.
LoopCase random_case(std::mt19937& random, LoopKind kind, Orientation orientation, int64_t length,
                     bool fused_multiply);

}  // namespace tide::test
