// How a loop program is laid out on a GPU: what the generated kernel and whoever launches it agree
// on.
//
// A kernel has one parameter by value, an array of 64-bit words: the addresses of the operands
// (LoopArguments:: bases), the extents, the strides (as LoopArguments), the parameters, and the
// number of work units. It runs with any number of blocks; each takes units in turn. Map programs
// have a unit per thread, row programs one per team of threads: a team shares one row (or with
// `partial` one block of it).
//
// One launch can serve several loops of a program: its parameter is a table then (GpuTable), and
// each of its blocks works for one of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "runtime/ir/loop.h"

namespace tide {

/// Whether a launch serves one loop or a table of loops: in the 4 KB that each launch may pass, or
/// in the 32,764 bytes that PTX allows from version 8.1 on.
enum class GpuTable : uint8_t { none, small, large };

/// What may be relied on in one run; part of a kernel's identity.
struct GpuForm {
  /// Map programs: every thread takes gpu_vector neighbours along the last dimension, whose dense
  /// operands are aligned for that; with two dimensions and more its extent is a multiple.
  bool vector = false;
  /// Units and extents fit 32 bits, so that indices are taken apart in 32-bit arithmetic.
  bool narrow = true;
  /// Reductions down columns: there are so few that a block takes a quarter of the usual number.
  bool few = false;
  /// Reductions along dense rows: a block brings what several passes read of its row into shared
  /// memory first (LoopPasses::row_stage). Rows begin at multiples of RowStage::kAlignment in
  /// memory, too.
  bool staged = false;
  /// With `staged`: values that are expensive and needed again are kept there as well.
  bool keeps = false;
  GpuTable table = GpuTable::none;

  bool operator==(const GpuForm&) const = default;
  /// One for each form, below kForms.
  unsigned number() const {
    return vector + 2u * narrow + 4u * few + 8u * staged + 16u * keeps +
           32u * static_cast<unsigned>(table);
  }
  static constexpr unsigned kForms = 96;
};

/// Threads of a block, and their roles in row programs: thread t is member t / teams of team t %
/// teams. A block of one team may have several groups of its members, which take the blocks of the
/// row's tree in turns. The blocks of a map may also have fewer threads.
struct GpuBlock {
  int threads, teams, members;

  int groups() const { return threads / (teams * members); }
};

inline GpuBlock gpu_block(const LoopProgram& program, const GpuForm& form) {
  if (!program.has_row) return {256, 256, 1};
  // Each member of a row's team owns one lane of the reduction's tree. Down a column, neighbouring
  // threads take neighbouring columns and own four lanes each. Of few columns neighbouring threads
  // still take what memory gives at once, 32 bytes.
  if (program.orientation == Orientation::row)
    return {form.staged ? 256 : kReductionLanes, 1, kReductionLanes};
  if (form.few) return {512, 8, kReductionLanes};
  return {512, 32, 16};
}

/// Whether these units are so few columns that a device of so many multiprocessors is busier in the
/// form of few.
inline bool gpu_is_few(const LoopProgram& program, int64_t units, int multiprocessors) {
  if (!program.has_row || program.orientation == Orientation::row) return false;
  const int teams = gpu_block(program, {}).teams;
  return (units + teams - 1) / teams < multiprocessors;
}

/// Neighbours that a thread takes in vector form: 16 bytes of the widest operand.
inline int gpu_vector(const LoopProgram& program) {
  size_t widest = 1;
  for (const LoopOperand& operand : program.operands)
    if (operand.kind == LoopOperand::Kind::memory) widest = std::max(widest, size_of(operand.type));
  return static_cast<int>(std::min<size_t>(16 / widest, 8));
}

/// Blocks with staged rows that a multiprocessor is to hold, whatever registers that takes: without
/// this the assembler spills for the sake of more, which their shared memory has no room for.
constexpr int kStagedBlocks = 3;

/// Units of work over these extents.
inline int64_t gpu_units(const LoopProgram& program, std::span<const int64_t> extents,
                         GpuForm form) {
  int64_t outer = 1;
  for (int d = 0; d < program.outer_rank; ++d) outer *= extents[d];
  if (program.partial) {
    const int64_t row = extents[program.outer_rank];
    return outer * ((row + kReductionBlock - 1) / kReductionBlock);
  }
  if (!form.vector) return outer;
  const int vector = gpu_vector(program);
  return outer / vector + outer % vector;
}

/// Words of the kernel's parameter.
inline size_t gpu_words(const LoopProgram& program) {
  const size_t dimensions = program.outer_rank + (program.has_row ? 1u : 0u);
  return program.operands.size() * (1 + dimensions) + dimensions + program.parameter_count + 1;
}

/// Of them, where each part begins.
struct GpuWords {
  size_t extents, strides, parameters, units;

  explicit GpuWords(const LoopProgram& program) {
    const size_t dimensions = program.outer_rank + (program.has_row ? 1u : 0u);
    extents = program.operands.size();
    strides = extents + dimensions;
    parameters = strides + program.operands.size() * dimensions;
    units = parameters + program.parameter_count;
  }
};

/// A table of loops in a kernel's parameter: for each the number of its first block and its words
/// as above, then the number of all blocks, which is also the first block of entries without a
/// loop.
struct GpuTableLayout {
  size_t words, entry;  ///< of the table, and of one of its entries
  size_t entries;       ///< that there is memory for

  GpuTableLayout(const LoopProgram& program, GpuTable table)
      : words(table == GpuTable::small ? 512 : 4095),
        entry(1 + gpu_words(program)),
        entries((words - 1) / entry) {}
};

}  // namespace tide
