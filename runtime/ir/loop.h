// What one fused kernel computes: written by the planner, compiled by the code generator.
//
// A loop program iterates over up to kMaxDims outer dimensions and, if it reduces, over one row
// dimension inside them. In map programs every instruction has one value per point of the outer
// domain. In row programs an instruction has one value per element of each row, or, if it is a
// reduction or computed only from such values, one per row; per-element instructions may use
// per-row values, which takes several passes over a row (softmax: two reductions).
//
// Sizes, strides, addresses and scalars are arguments, so one kernel serves all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/types/dtype.h"
#include "runtime/types/shape.h"

namespace tide {

/// Number of an elementwise op: an enumerator of ElementwiseOp (runtime/ir/elementwise_ops.h).
using OpCode = uint16_t;

enum class Reduction : uint8_t { sum, prod, max, min };

/// The reduction tree for a row of n elements, independent of machine, layout and threads. The row
/// is split into blocks of kReductionBlock; within a block, element i is added to lane i %
/// kReductionLanes, in ascending order, starting from the identity (-0.0 for floating sums, 0 for
/// integer ones, 1, and the lowest or highest value); then lane j is combined with lanes j + 32, +
/// 16, + 8, + 4, + 2, + 1; finally the blocks' results are combined like the elements of one block,
/// however many there are. Combining with an identity changes no bit, so it may be skipped. (This
/// keeps chains of roundings short: the float32 sum of 1e7 times 0.1 is 8e-7 off.)
constexpr int64_t kReductionBlock = 4096;
constexpr int kReductionLanes = 64;

/// An array in memory, or an index iota, as the kernel accesses it.
struct LoopOperand {
  enum class Kind : uint8_t {
    memory,  ///< element at base + sum of index_d * stride_d
    iota     ///< no memory: the value is the i64 start + sum of index_d * stride_d itself
  };
  Kind kind = Kind::memory;
  DType type = DType::f32;  ///< of the elements in memory; i64 for iotas
  bool streaming = false;   ///< stores bypass the caches; the address is aligned to 64 bytes
  /// Stride of the vector dimension if the kernel may rely on it (0, 1 or -1), else kAnyStride.
  int8_t vector_stride = kAnyStride;
  /// Stride 0 along the row dimension: one value per row (row programs only).
  bool per_row = false;
  /// Not evenly spaced along the row, but along each of its dimensions (LoopProgram::row_rank).
  /// Only loads from memory with Orientation::row.
  bool nested = false;
  /// All loads of it are at computed positions. Neither nested nor stored to.
  bool indexed = false;

  static constexpr int8_t kAnyStride = 2;
};

/// One instruction; its result is identified by its index in LoopProgram::code.
struct LoopInstruction {
  enum class Kind : uint8_t {
    /// Operand `operand`, converted to compute_type(type): narrow types widen to f32. With inputs,
    /// at a computed position in one more dimension, of a[1] elements that are a[2] apart, or
    /// without a[2] next to each other: at a[0], from 1; lower ones count as 1, higher ones as the
    /// last. All are i64.
    load,
    parameter,  ///< parameter number `operand`, of compute_type(type)
    map,        ///< op on the values a[0..arity)
    reduce,     ///< combines values a[0] along the row in `type`; one value per row
    store       ///< value a[0] to operand `operand`, rounded to the operand's type; no result
  };
  Kind kind;
  /// The op's result type. A map's value is rounded to it (once per op: values of narrow types are
  /// stored as f32 that the narrow type can represent). Reductions of such values run in f32 and
  /// have type f32; converting back is a separate op.
  DType type;
  OpCode op = 0;                 ///< map
  Reduction reduction{};         ///< reduce
  uint8_t arity = 0;             ///< of a map, or 2 or 3 for a load at a position
  uint16_t operand = 0;          ///< load and store: index into operands; parameter: its index
  uint16_t a[4] = {0, 0, 0, 0};  ///< indices of input values
};

/// Which dimension the vector lanes run along.
enum class Orientation : uint8_t {
  outer,  ///< the last outer dimension (maps, and reductions over a strided row)
  row     ///< the row (reductions over a dense row)
};

struct LoopProgram {
  uint8_t outer_rank = 1;  ///< 1..kMaxDims: coalesced; a scalar is one dimension of size 1
  bool has_row = false;
  /// Number of dimensions of the row, from which the positions of nested operands are computed; 0
  /// if no operand is nested.
  uint8_t row_rank = 0;
  Orientation orientation = Orientation::outer;
  /// Only with has_row, exactly one reduction, and one store of it: stores the result of each block
  /// of kReductionBlock elements instead of the row's. That operand's row stride is then its stride
  /// from block to block. All other values and stores are per element.
  bool partial = false;
  /// Only with has_row and exactly one level of reductions: treats each row as one block,
  /// regardless of length (the second stage of `partial`).
  bool single_block = false;
  std::vector<LoopOperand> operands;
  std::vector<LoopInstruction> code;  ///< in dependency order
  uint16_t parameter_count = 0;

  /// Number of extents, and of strides per operand: of the outer dimensions, then of the row, then
  /// of the row's dimensions.
  size_t dimensions() const { return size_t{outer_rank} + has_row + row_rank; }

  /// The structure as bytes: programs with equal keys share a kernel.
  std::vector<uint8_t> key() const;
};

/// Arguments of one run of a kernel.
struct LoopArguments {
  /// Per operand, the address of the element at index 0 of all dimensions (offset included); for
  /// iotas the start itself, as an integer.
  void* const* bases;
  /// LoopProgram::dimensions() of them; a row's extent is the product of those of its dimensions.
  const int64_t* extents;
  /// In elements: strides[operand * dimensions() + d]. Nested operands use only those of the row's
  /// dimensions, the others only that of the row.
  const int64_t* strides;
  /// Parameters as 64-bit patterns: i64/f64/f32 (low half) by the parameter's compute type;
  /// integers and bool sign- or zero-extended.
  const uint64_t* parameters;
};

/// The part of the domain that one call computes; calls on disjoint parts may run concurrently.
/// Boundaries of vector parts are multiples of 64 elements except the end; those of row parts (only
/// `partial` programs are split there) are multiples of kReductionBlock.
struct LoopRange {
  int64_t outer_begin, outer_end;  ///< linear index over the outer dimensions, without the last one
                                   ///< if orientation is outer
  int64_t vector_begin,
      vector_end;              ///< of the last outer dimension if orientation is outer, else 0, 1
  int64_t row_begin, row_end;  ///< elements of the row; 0, n unless partial; 0, 0 without row
};

/// A compiled kernel. Thread-safe, never throws, stateless. `workspace` is private to the call:
/// Kernel::workspace_bytes of it (runtime/ir/kernel.h), aligned to 64.
using LoopKernel = void (*)(const LoopArguments*, const LoopRange*, void* workspace);

}  // namespace tide
