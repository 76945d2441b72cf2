// PTX kernels translated for the machine: steps with only register operands.
#pragma once

#include "tests/cuda/fake/ptx/arithmetic.h"

namespace fake {

/// An instruction with everything resolved that is the same for all threads. 64 bytes.
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
  uint8_t vector = 1;  ///< elements; if several, in the registers from `list` on
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
  uint32_t registers = 0;       ///< per thread, including constants
  uint32_t first_constant = 0;
  std::vector<uint64_t> constants;  ///< values of the registers from `first_constant` on
  /// Whether it is a fused kernel with a team of threads per row. Threads without a row compute the
  /// last one, to reach the same barriers, and drop the result.
  bool is_row_program = false;
};

/// Shared and local memory are windows of the generic address space, far from host addresses.
constexpr uint64_t kSharedWindow = uint64_t{1} << 62, kLocalWindow = uint64_t{1} << 61;

/// Throws PtxError for an instruction of an unknown form.
Program translate(const std::string& name, const std::vector<Instruction>& code,
                  uint32_t registers);

}  // namespace fake
