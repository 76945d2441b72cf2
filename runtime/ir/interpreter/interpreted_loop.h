// A loop program prepared to run without machine code.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/ir/interpreter/interpreted_memory.h"
#include "runtime/ir/loop.h"

namespace tide {

class InterpretedLoop {
 public:
  /// Null if the program uses unsupported features: partial results, reductions in order,
  /// nested operands.
  static std::unique_ptr<const InterpretedLoop> of(const LoopProgram& program);

  /// Computes the entire domain. `workspace` is private to the call: workspace_bytes of it, aligned
  /// to 64.
  void run(const LoopArguments& arguments, void* workspace) const;

  size_t workspace_bytes(const int64_t* extents) const;

  /// Approximate nanoseconds per run.
  int64_t cost(const int64_t* extents) const;

 private:
  using Kind = LoopInstruction::Kind;

  /// An instruction with the functions it calls. Its values are an array of their compute type, one
  /// for each element of a piece of the domain, or one per row.
  struct Call {
    Kind kind;
    DType type;            ///< of its values
    bool per_row = false;  ///< one value per row, broadcast if elements need it
    bool is_spread = false;
    bool is_iota = false;
    uint8_t arity = 0;
    uint16_t operand = 0;
    size_t element_bytes = 0;  ///< of a load or store: in memory
    uint16_t a[4] = {0, 0, 0, 0};
    interpreted::Load load = nullptr;
    interpreted::LoadAt load_at = nullptr;
    InterpretedCall compute = nullptr;      ///< of a map; otherwise a conversion, or null
    interpreted::Rounding round = nullptr;  ///< applied afterwards; or null
    interpreted::Reduce reduce = nullptr;
    interpreted::Store store = nullptr;
    DType stored = DType::f32;  ///< of a store: the compute type before storing
  };

  bool add(const LoopProgram& program, const LoopInstruction& instruction);
  bool add_load(const LoopProgram& program, const LoopInstruction& instruction, Call& call);
  bool add_map(const LoopInstruction& instruction, Call& call);
  void run_piece(const LoopArguments& arguments, const int64_t* places, int64_t stride_dimension,
                 int64_t count, std::byte* values) const;
  int64_t piece_length(const int64_t* extents) const;

  int outer_rank_ = 1;
  bool has_row_ = false;
  size_t operands_ = 0;
  int64_t element_cost_ = 0;  ///< approximate nanoseconds of all calls per element
  std::vector<Call> calls_;
};

}  // namespace tide
