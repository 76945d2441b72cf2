// A kernel under construction: its arguments, and the walk over its outer dimensions.
#pragma once

#include <llvm/IR/Intrinsics.h>

#include <functional>
#include <vector>

#include "runtime/codegen/gpu_form.h"
#include "runtime/codegen/llvm/code.h"
#include "runtime/codegen/llvm/target.h"
#include "runtime/ir/loop.h"
#include "runtime/ir/loop_passes.h"

namespace tide::ir {

/// Where the operands stand: for each the address of an element, or the value of an iota.
using Places = std::vector<llvm::Value*>;

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

  llvm::Value* scratch = nullptr;
  /// Of LoopRange; a GPU's threads find their own parts of the domain.
  llvm::Value *vector_begin = nullptr, *vector_end = nullptr;
  llvm::Value *row_begin = nullptr, *row_end = nullptr;
  llvm::Value* units = nullptr;  ///< of work, on a GPU
  /// The number of this block of a GPU among those of its loop, and how many these are; none where
  /// the launch has one loop. Registers read long before they are used make the assembler spill.
  llvm::Value *block = nullptr, *blocks = nullptr;
  std::vector<llvm::Value*> parameters;  ///< scalars of their compute types
  /// Per operand its stride along the vector dimension, in bytes (an iota's: as it is); none if
  /// known.
  std::vector<llvm::Value*> vector_strides;

  /// A special register of a GPU's thread, such as its number.
  llvm::Value* read_register(llvm::Intrinsic::ID id);

  int vector_dimension() const;
  /// Bytes from one element of the operand to the next in dimension `d`; an iota's stride as it is.
  llvm::Value* stride(size_t operand, int d);
  /// `place` of the operand, `distance` bytes on (or so much more, for an iota).
  llvm::Value* moved(size_t operand, llvm::Value* place, llvm::Value* distance);
  /// All places, `index` elements on in dimension `d`; operands per row stay if it is the row's.
  Places moved(const Places& places, int d, llvm::Value* index);

  llvm::Value* extent(int d);
  /// The places of the element at these indices of the first dimensions, 0 in the others.
  Places places_at(const std::vector<llvm::Value*>& indices);

  /// The places of the results of a partial reduction's block: row strides go from block to block.
  Places moved_to_block(const Places& places, llvm::Value* block);

  /// Calls `body` once, in a loop over the range's outer dimensions.
  void for_each_outer(const std::function<void(const Places&)>& body);
  /// In such a loop: how far behind its present place an operand's next one lies, in bytes, if both
  /// lie in one row of the last outer dimension; 0 at the end of the range.
  llvm::Value* distance_to_next(size_t operand);

  /// The instructions that the `roots` use, themselves included, without looking behind those in
  /// `known`.
  std::vector<bool> needed_for(const std::vector<size_t>& roots,
                               const std::vector<bool>& known) const;
  /// Numbers of the instructions for which `chosen` holds, in order.
  std::vector<size_t> instructions(
      const std::function<bool(const LoopInstruction&, size_t)>& chosen) const;
  /// The reductions that run in a pass.
  std::vector<size_t> reductions_of(int pass) const;
  /// The stores of values per row, or per element.
  std::vector<size_t> stores(bool per_row) const;
  /// The operands that are read from end to end, without gaps.
  std::vector<size_t> streams() const;

  /// What the value of instruction i is computed in.
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
               const std::vector<llvm::AllocaInst*>& places, int d);

  int dimensions_;
  llvm::Value *bases_, *extents_, *strides_;
  std::vector<llvm::Value*> known_strides_;  ///< one operand's dimensions after the other's
  llvm::Value *outer_begin_ = nullptr, *outer_end_ = nullptr;
  llvm::Value* outer_ = nullptr;  ///< the number of the present point of the outer dimensions
};

}  // namespace tide::ir
