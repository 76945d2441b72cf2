// How a row program is split into passes over its rows, and which values it keeps between them.
//
// Reductions whose input needs no other reduction run in pass 0; those that need their results, in
// pass 1; and so on. A per-element value that several passes need is recomputed in each of them if
// that is cheap, else kept in the workspace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/ir/loop.h"

namespace tide {

/// Number of columns that kernels of orientation outer take through all passes before the next
/// ones, so that later passes hit the cache. A single pass over many rows uses wider blocks.
constexpr int64_t kColumnBlock = 256, kWideColumnBlock = 2048, kManyRows = 1024;

/// The parts of a row that a GPU thread block keeps in shared memory: arrays along the row, one
/// after the other, each aligned to kAlignment bytes.
struct RowStage {
  static constexpr size_t kAlignment = 16;

  std::vector<uint16_t> operands;  ///< loaded into the first arrays before the first pass
  std::vector<size_t> sizes;       ///< bytes of an element of each array
  /// The array for each of LoopPasses::workspace_types, if they are kept: an operand's array that
  /// is no longer read, or a separate one.
  std::vector<size_t> kept;

  size_t bytes(int64_t row) const {
    size_t all = 0;
    for (const size_t size : sizes)
      all += (static_cast<size_t>(row) * size + kAlignment - 1) / kAlignment * kAlignment;
    return all;
  }
};

struct LoopPasses {
  explicit LoopPasses(const LoopProgram& program);

  struct Instruction {
    bool per_row = false;  ///< one value per row
    /// Per element: the first pass in which it can be computed. Per row: the number of passes that
    /// must have run before.
    int level = 0;
    int workspace = -1;  ///< its index in workspace_types, if it is kept there
  };

  int count = 0;                          ///< passes over each row; 0 for map programs
  std::vector<Instruction> instructions;  ///< parallel to the program's
  /// Types of the arrays in the workspace, stored one after the other. Orientation row: values per
  /// element, padded_row(n) of each. Orientation outer: values per row, a column block of each,
  /// followed by the accumulators of the reductions in order, kReductionLanes column blocks of
  /// each, and by the same number for the results of blocks if a row has several.
  std::vector<DType> workspace_types;

  /// Whether a kernel combines the results of several blocks of a row.
  bool has_several_blocks(int64_t row_length) const {
    return has_blocks && row_length > kReductionBlock;
  }
  static int64_t padded_row(int64_t n) {
    return (n + kReductionLanes - 1) / kReductionLanes * kReductionLanes;
  }
  bool may_be_wide() const { return count == 1; }
  int64_t column_block(int64_t rows) const {
    return may_be_wide() && rows >= kManyRows ? kWideColumnBlock : kColumnBlock;
  }
  size_t workspace_bytes(int64_t row_length) const;
  /// Stages operands that are dense along the row, are loaded by more than one pass, and are not
  /// stored to. `keeps`: also stages values that are otherwise kept in the workspace; else they
  /// are recomputed. For programs of orientation row.
  RowStage row_stage(const LoopProgram& program, bool keeps) const;

  Orientation orientation;
  bool has_blocks;  ///< false for partial programs and those of single blocks
  std::vector<DType> reduction_types;

 private:
  void find_levels(const LoopProgram& program);
  void keep_elements(const LoopProgram& program);
  void keep_rows(const LoopProgram& program);
  void keep(size_t instruction, DType type);
};

/// The instructions that `instruction` uses.
inline std::vector<uint16_t> inputs_of(const LoopInstruction& instruction) {
  using Kind = LoopInstruction::Kind;
  const bool has_one = instruction.kind == Kind::reduce || instruction.kind == Kind::store;
  const int count = has_one ? 1 : instruction.arity;
  return {instruction.a, instruction.a + count};
}

}  // namespace tide
