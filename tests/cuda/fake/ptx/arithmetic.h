// Evaluates single PTX instructions on raw bits.
#pragma once

#include "tests/cuda/fake/ptx/instruction.h"
#include "tests/cuda/fake/ptx/lanes.h"

namespace fake {

/// The function of an instruction without side effects. Values are raw bits, zero- or
/// sign-extended.
class Compute {
 public:
  constexpr Compute() = default;
  /// Wraps a function of four operands without state: a lambda without captures.
  template <class F>
  constexpr Compute(F) : run_(run<F>) {}

  /// A register has one value for each lane.
  void operator()(Lanes lanes, uint64_t* to, const uint64_t* a, const uint64_t* b,
                  const uint64_t* c, const uint64_t* d) const {
    run_(lanes, to, a, b, c, d);
  }

 private:
  template <class F>
  static void run(Lanes lanes, uint64_t* to, const uint64_t* a, const uint64_t* b,
                  const uint64_t* c, const uint64_t* d) {
    for (const uint8_t lane : lanes) to[lane] = F{}(a[lane], b[lane], c[lane], d[lane]);
  }

  void (*run_)(Lanes, uint64_t*, const uint64_t*, const uint64_t*, const uint64_t*,
               const uint64_t*) = nullptr;
};

/// Throws PtxError for an unknown form.
Compute compute_of(const Instruction& at);

/// The value of operand d for instructions without that operand.
uint64_t constant_operand(const Instruction& at);

/// The function of a cvt instruction. Throws PtxError.
Compute conversion_of(const Instruction& at);

/// The new value of an atomic operation on memory that holds a, with operands b and c. Throws
/// PtxError.
Compute atomic_of(const Instruction& at);

}  // namespace fake
