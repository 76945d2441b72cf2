// Straight-line code of a kernel: the values of the program's instructions for a few neighbouring
// elements.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "runtime/codegen/llvm/frame.h"
#include "runtime/codegen/llvm/value.h"

namespace tide::ir {

/// Parts [begin, end) of `total` equal parts.
struct Share {
  int begin, end, total;

  /// Whether the midpoint of piece i of `pieces` is in these parts.
  bool holds(int64_t i, int64_t pieces) const {
    const int64_t middle = (2 * i + 1) * total;
    return 2 * begin * pieces <= middle && middle < 2 * end * pieces;
  }
};

/// Prefetch distance in bytes for long streams. The processor's own prefetching does not run far
/// enough ahead: without this, sums of arrays in main memory take a seventh longer.
constexpr int64_t kStreamAhead = 2048;

/// Code for lanes().elements() neighbours, or in the tail of a loop for the first `count` of them.
/// Elements past the count are computed but never stored.
class Body {
 public:
  /// `positions` are those of element 0 of the vector dimension, `index` is the first element.
  Body(Frame& frame, const Lanes& lanes, const Positions& positions, llvm::Value* index,
       llvm::Value* count = nullptr);
  Body(const Body&) = delete;

  const Lanes& lanes() const { return lanes_; }
  llvm::Value* index() const { return index_; }
  bool is_tail() const { return count_; }

  void set(size_t instruction, const Value& value) { values_[instruction] = value; }
  /// Sets the value of all elements, with its scalar.
  void set_uniform(size_t instruction, const Value& value, llvm::Value* scalar) {
    values_[instruction] = value;
    uniform_[instruction] = scalar;
  }
  const Value& value(size_t instruction) const { return *values_[instruction]; }

  /// Computes the instructions marked in `needed` that have no value yet, stores excepted.
  void compute(const std::vector<bool>& needed);
  void store(size_t instruction);
  /// Prefetches a share of the memory `distance` bytes after these elements of a dense operand.
  void prefetch(size_t operand, llvm::Value* distance, const Share& share);

  /// Elements of a compute type, contiguous in private memory and padded to full registers.
  Value load_private(DType type, llvm::Value* address);
  void store_private(const Value& value, llvm::Value* address);

  /// `changed` for elements below the count, `old` for the others.
  Value where_counted(const Value& changed, const Value& old);

 private:
  /// The instruction's value, converted to `type` as it is stored.
  Registers narrowed(size_t instruction, DType type);
  /// Sets an instruction of a half type to the value that it has in memory.
  void set_narrow(size_t instruction, const Registers& raw);
  void round_into(size_t instruction, const Value& computed);
  void compute_map(size_t instruction);
  void load(size_t instruction);
  Value load_iota(size_t operand);
  Registers load_memory(size_t operand);
  Registers load_raw(const LoopInstruction& load);
  Registers load_at(const LoopInstruction& load);
  llvm::Value* load_at_each(size_t operand, llvm::Value* offsets, int i);
  Registers load_neighbours(size_t operand, const Registers& offsets);
  Registers gather(size_t operand);
  Registers load_nested(size_t operand);
  Registers gather_nested(size_t operand);
  Registers load_reversed(size_t operand);
  void store_memory(size_t operand, const Registers& raw);
  void scatter(size_t operand, const Registers& raw);
  Registers load_each(size_t operand);
  void store_each(size_t operand, const Registers& raw);
  int64_t vector_alignment(int64_t size) const;
  void copy(size_t operand,
            const std::function<void(llvm::Value* element, llvm::Value* address)>& one);

  llvm::Value* byte_stride(size_t operand);
  llvm::Value* element_address(size_t operand, llvm::Value* element);
  const std::vector<llvm::Value*>& row_indices();
  llvm::Value* part(llvm::Type* element, llvm::Value* base, int i);
  bool has_masked_moves(DType type) const;
  llvm::Value* mask();

  Frame& frame_;
  Lanes lanes_;
  const Positions* positions_;
  llvm::Value* index_;
  llvm::Value* count_;
  llvm::Value* mask_ = nullptr;
  std::vector<llvm::Value*> row_indices_;  ///< of the first element, once they are needed
  std::vector<std::optional<Value>> values_;
  std::vector<std::optional<Registers>> narrow_;  ///< values of half types as in memory
  std::vector<llvm::Value*> uniform_;             ///< values that are known to be uniform, or null
};

/// Lanes of scalar code: one register of one element.
Lanes scalar_lanes(Frame& frame);

}  // namespace tide::ir
