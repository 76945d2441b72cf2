// How a loop program is laid out on a GPU: the contract between the generated kernel and the code
// that launches it.
//
// A kernel has one parameter, passed by value: an array of 64-bit words with the addresses of the
// operands (LoopArguments::bases), the extents, the strides (as in LoopArguments), the parameters,
// and the number of work units. It runs with any number of blocks; each loops over units. Map
// programs have a unit per thread, row programs one per team of threads: a team shares one row
// (with `partial`, one block of the row).
//
// One launch can serve several loops of a program: its parameter is then a table (GpuTable), and
// each block works on one of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "runtime/ir/loop.h"

namespace tide {

/// Whether a launch serves one loop or a table of loops: a table in the 4 KB that every launch may
/// pass, or in the 32,764 bytes that PTX allows since version 8.1.
enum class GpuTable : uint8_t { none, small, large };

/// Assumptions of a kernel about its launch; part of its key.
struct GpuForm {
  /// Map programs: each thread computes gpu_vector neighbours along the last dimension. Dense
  /// operands are aligned for that; with two or more dimensions the last extent is a multiple of
  /// it.
  bool vector = false;
  /// Units and extents fit in 32 bits, so linear indices are split in 32-bit arithmetic.
  bool narrow = true;
  /// Reductions down columns: there are so few columns that a block takes a quarter of the usual
  /// number.
  bool few = false;
  /// Reductions along dense rows: a block first copies the parts of its row that several passes
  /// read to shared memory (LoopPasses::row_stage). In memory, too, rows start at multiples of
  /// RowStage::kAlignment.
  bool staged = false;
  /// With `staged`: expensive values that are needed again are kept in shared memory, too.
  bool keeps = false;
  GpuTable table = GpuTable::none;

  bool operator==(const GpuForm&) const = default;
  /// Unique for each form, and less than kForms.
  unsigned number() const {
    return vector + 2u * narrow + 4u * few + 8u * staged + 16u * keeps +
           32u * static_cast<unsigned>(table);
  }
  static constexpr unsigned kForms = 96;
};

/// The threads of a block and their roles in row programs: thread t is member t / teams of team t %
/// teams. A block with one team may split its members into groups, which take turns at the blocks
/// of the row's reduction tree. The blocks of a map launch may also have fewer threads.
struct GpuBlock {
  int threads, teams, members;

  int groups() const { return threads / (teams * members); }
};

inline GpuBlock gpu_block(const LoopProgram& program, const GpuForm& form) {
  if (!program.has_row) return {256, 256, 1};
  // Each member of a row's team owns one lane of the reduction tree. Down a column, neighbouring
  // threads take neighbouring columns and own four lanes each. With few columns, neighbouring
  // threads still read 32 bytes, the unit of memory access.
  if (program.orientation == Orientation::row)
    return {form.staged ? 256 : kReductionLanes, 1, kReductionLanes};
  if (form.few) return {512, 8, kReductionLanes};
  return {512, 32, 16};
}

/// Whether there are so few columns that a device with this number of multiprocessors is busier in
/// the form `few`.
inline bool gpu_is_few(const LoopProgram& program, int64_t units, int multiprocessors) {
  if (!program.has_row || program.orientation == Orientation::row) return false;
  const int teams = gpu_block(program, {}).teams;
  return (units + teams - 1) / teams < multiprocessors;
}

/// Number of neighbours that a thread computes in vector form: 16 bytes of the widest operand.
inline int gpu_vector(const LoopProgram& program) {
  size_t widest = 1;
  for (const LoopOperand& operand : program.operands)
    if (operand.kind == LoopOperand::Kind::memory) widest = std::max(widest, size_of(operand.type));
  return static_cast<int>(std::min<size_t>(16 / widest, 8));
}

/// Minimum blocks with staged rows per multiprocessor. Without it ptxas spills registers to fit
/// more blocks, for which there is not enough shared memory.
constexpr int kStagedBlocks = 3;

/// Number of work units over these extents.
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

/// Number of words in the kernel's parameter.
inline size_t gpu_words(const LoopProgram& program) {
  const size_t dimensions = program.dimensions();
  return program.operands.size() * (1 + dimensions) + dimensions + program.parameter_count + 1;
}

/// The first word of each part.
struct GpuWords {
  size_t extents, strides, parameters, units;

  explicit GpuWords(const LoopProgram& program) {
    const size_t dimensions = program.dimensions();
    extents = program.operands.size();
    strides = extents + dimensions;
    parameters = strides + program.operands.size() * dimensions;
    units = parameters + program.parameter_count;
  }
};

/// A table of loops in a kernel's parameter: for each loop the index of its first block and its
/// words as above; then the total number of blocks, which is also the first block of unused
/// entries.
struct GpuTableLayout {
  size_t words, entry;  ///< in the table, and in one of its entries
  size_t entries;       ///< capacity

  GpuTableLayout(const LoopProgram& program, GpuTable table)
      : words(table == GpuTable::small ? 512 : 4095),
        entry(1 + gpu_words(program)),
        entries((words - 1) / entry) {}
};

}  // namespace tide
