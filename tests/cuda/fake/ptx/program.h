// PTX kernels as the machine runs them: steps whose operands are all registers.
#pragma once

#include "tests/cuda/fake/ptx/arithmetic.h"

namespace fake {

/// An instruction with everything resolved that does not depend on a thread. 64 bytes.
struct Step {
  enum class Kind : uint8_t {
    compute,  ///< to = compute(a, b, c, d)
    compare,  ///< and second = its negation
    jump,     ///< to the step `target`
    load,
    store,
    pack,
    unpack,
    atomic,
    barrier,
    exchange,  ///< waits for other threads of the warp
    nothing,
    end,
    trap,
    activemask
  };
  /// What a barrier or an exchange of a warp combines.
  enum class Combine : uint8_t { nothing, count, all, any, ballot, down, up, butterfly, index };

  static constexpr uint32_t kAlways = ~0u;  ///< as a predicate

  Kind kind = Kind::nothing;
  Combine combine = Combine::nothing;
  Type type = Type::b32;
  Space space = Space::generic;
  uint8_t size = 0;    ///< bytes of an element
  uint8_t vector = 1;  ///< elements, which are the registers from `list` on if there are several
  bool negated = false;
  /// The step is run if this register is true, or false if `negated`.
  uint32_t predicate = kAlways;
  uint32_t to = 0, second = 0;  ///< results
  uint32_t a = 0, b = 0, c = 0, d = 0;
  uint32_t list = 0;
  int line = 0;         ///< of the text
  uint64_t offset = 0;  ///< of an address, from a
  union {
    Compute compute{};
    uint32_t target;
  };
};

/// A kernel's steps, the last of which ends the thread.
struct Program {
  std::vector<Step> steps;
  std::vector<uint32_t> lists;  ///< registers of vector operands, one list after the other
  uint32_t registers = 0;       ///< of a thread, those with constants included
  uint32_t first_constant = 0;
  std::vector<uint64_t> constants;  ///< what the registers from `first_constant` on hold
  /// Whether it is a fused kernel with a team of threads for each row. Threads that have no row
  /// read the last one along, to come to the same barriers, and drop what they computed.
  bool is_row_program = false;
};

/// Shared and local memory lie in windows of the generic address space, far from the host's
/// addresses.
constexpr uint64_t kSharedWindow = uint64_t{1} << 62, kLocalWindow = uint64_t{1} << 61;

/// Throws PtxError for an instruction of an unknown form.
Program translate(const std::string& name, const std::vector<Instruction>& code,
                  uint32_t registers);

}  // namespace fake
