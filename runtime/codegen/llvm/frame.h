// A kernel under construction: its arguments, and the walk over its outer dimensions.
#pragma once

#include <llvm/IR/Intrinsics.h>

#include <functional>
#include <utility>
#include <vector>

#include "runtime/codegen/gpu_form.h"
#include "runtime/codegen/llvm/code.h"
#include "runtime/codegen/llvm/target.h"
#include "runtime/ir/loop.h"
#include "runtime/ir/loop_passes.h"

namespace tide::ir {

/// The position in each operand: the address of an element, or the value of an iota.
using Positions = std::vector<llvm::Value*>;

class Frame {
 public:
  Frame(llvm::Function& function, const LoopProgram& program, const Machine& machine,
        const GpuForm& gpu);

  Code code;
  const LoopProgram& program;
  const LoopPasses passes;
  const Machine& machine;

  int width;      ///< elements of one register, by the widest type of the program
  int registers;  ///< of a value in full bodies; width * registers divides kReductionLanes

  llvm::Value* workspace = nullptr;
  /// From LoopRange; the threads of a GPU compute their own parts of the domain.
  llvm::Value *vector_begin = nullptr, *vector_end = nullptr;
  llvm::Value *row_begin = nullptr, *row_end = nullptr;
  llvm::Value* units = nullptr;  ///< number of work units, on a GPU
  /// On a GPU, the index of this block among the blocks of its loop, and their number; null if the
  /// launch has one loop. Special registers that are read long before their use make ptxas spill.
  llvm::Value *block = nullptr, *blocks = nullptr;
  std::vector<llvm::Value*> parameters;  ///< scalars of their compute types
  /// Per operand its stride along the vector dimension, in bytes (an iota's is not scaled); null if
  /// the program fixes it.
  std::vector<llvm::Value*> vector_strides;

  /// Reads a special register of a GPU thread, such as its index.
  llvm::Value* read_register(llvm::Intrinsic::ID id);

  int vector_dimension() const;
  /// Bytes from one element of the operand to the next in dimension `d`; an iota's stride is not
  /// scaled.
  llvm::Value* stride(size_t operand, int d);
  /// The operand's position, advanced by `distance` bytes (an iota's value by `distance`).
  llvm::Value* moved(size_t operand, llvm::Value* position, llvm::Value* distance);
  /// All positions, advanced by `index` elements in dimension `d`; per-row operands stay in a row.
  Positions moved(const Positions& positions, int d, llvm::Value* index);

  /// LoopProgram::dimensions().
  int dimensions() const { return dimensions_; }
  llvm::Value* extent(int d);
  /// Quotient and remainder of a non-negative value by a positive one.
  std::pair<llvm::Value*, llvm::Value*> divide(llvm::Value* item, llvm::Value* divisor);
  /// The index of an element of the row in each of the row's dimensions.
  std::vector<llvm::Value*> row_indices(llvm::Value* element);
  /// The address of an element of the row with these indices in a nested operand.
  llvm::Value* nested_address(size_t operand, llvm::Value* position,
                              const std::vector<llvm::Value*>& row_indices);
  /// The positions of the element at these indices of the first dimensions, 0 in the others.
  Positions positions_at(const std::vector<llvm::Value*>& indices);

  /// The positions of the results of a partial reduction's block; row strides lead from block to
  /// block.
  Positions moved_to_block(const Positions& positions, llvm::Value* block);

  /// Calls `body` once, inside a loop over the range's outer dimensions.
  void for_each_outer(const std::function<void(const Positions&)>& body);
  /// Inside that loop: the bytes from an operand's position to its next one, if both are in one row
  /// of the last outer dimension; 0 at the end of the range.
  llvm::Value* distance_to_next(size_t operand);

  /// Marks the instructions that the `roots` use, including themselves, without following the
  /// inputs of those in `known`.
  std::vector<bool> needed_for(const std::vector<size_t>& roots,
                               const std::vector<bool>& known) const;
  /// Indices of the instructions for which `chosen` holds, in order.
  std::vector<size_t> instructions(
      const std::function<bool(const LoopInstruction&, size_t)>& chosen) const;
  /// The reductions computed in a pass.
  std::vector<size_t> reductions_of(int pass) const;
  /// The stores of values per row, or of values per element.
  std::vector<size_t> stores(bool per_row) const;
  /// The operands that are read contiguously from end to end.
  std::vector<size_t> streams() const;

  /// The type in which the value of instruction i is computed.
  DType type_of(size_t i) const { return compute_type(program.code[i].type); }
  llvm::Type* scalar_type(size_t i) const;

 private:
  void choose_lanes();
  void load_parameters(llvm::Value* from);
  void load_strides();
  llvm::Value* load_stride(size_t operand, int d);
  llvm::Value* pointer_field(llvm::Value* structure, size_t offset);
  llvm::Value* range_field(llvm::Value* range, size_t offset);
  void find_arguments(llvm::Function& function);
  void find_gpu_arguments(llvm::Value* words, const GpuForm& gpu);
  llvm::Value* find_loop(llvm::Value* table, GpuTable size);
  void advance(const std::vector<llvm::AllocaInst*>& indices,
               const std::vector<llvm::AllocaInst*>& positions, int d);

  int dimensions_;
  const bool narrow_;  ///< indices fit 32 bits
  llvm::Value *bases_, *extents_, *strides_;
  std::vector<llvm::Value*> known_strides_;  ///< all dimensions of one operand, then of the next
  llvm::Value *outer_begin_ = nullptr, *outer_end_ = nullptr;
  llvm::Value* outer_ = nullptr;  ///< linear index of the current point of the outer dimensions
};

}  // namespace tide::ir
