// How a row program is cut into passes over its rows, and what it keeps between them.
//
// Reductions whose input needs no other reduction run in pass 0; what needs their results, in
// pass 1; and so on. A value per element that several passes need is computed again in each of
// them if that is cheap, else kept in scratch memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/ir/loop.h"

namespace tide {

/// Columns that kernels of orientation outer take through all passes together, so that later passes
/// find them in a cache. A single pass over many rows goes through memory in longer pieces.
constexpr int64_t kColumnBlock = 256, kWideColumnBlock = 2048, kManyRows = 1024;

/// What a block of a GPU has of its row in shared memory: arrays along the row, one after the
/// other, each at a multiple of kAlignment bytes.
struct RowStage {
  static constexpr size_t kAlignment = 16;

  std::vector<uint16_t> operands;  ///< what the first arrays hold before the first pass
  std::vector<size_t> sizes;       ///< bytes of an element of each array
  /// The array of each of LoopPasses::scratch_types, where they are kept: one that holds an operand
  /// until its last element was read, or one of its own.
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
    int scratch = -1;  ///< its place in scratch_types, if it is kept there
  };

  int count = 0;                          ///< passes over each row; 0 for map programs
  std::vector<Instruction> instructions;  ///< one for each of the program's
  /// Types of the arrays in scratch memory, which lie one after the other. Orientation row: values
  /// per element, padded_row(n) of each. Orientation outer: values per row, a column block of each,
  /// followed by the accumulators of the reductions in order, kReductionLanes column blocks of
  /// each, and by as many for the results of blocks where a row has several.
  std::vector<DType> scratch_types;

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
  size_t scratch_bytes(int64_t row_length) const;
  /// Stages the operands that lie dense along the row, whose elements more than one pass loads, and
  /// that nothing is stored to. `keeps`: also what lies in scratch memory elsewhere; else it is
  /// computed again. For programs of orientation row.
  RowStage row_stage(const LoopProgram& program, bool keeps) const;

  Orientation orientation;
  bool has_blocks;  ///< not a partial program, nor one of single blocks
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
  const int count = instruction.kind == Kind::map ? instruction.arity
                    : instruction.kind == Kind::reduce || instruction.kind == Kind::store ? 1
                                                                                          : 0;
  return {instruction.a, instruction.a + count};
}

}  // namespace tide
