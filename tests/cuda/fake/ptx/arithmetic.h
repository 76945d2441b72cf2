// What single PTX instructions compute, on raw bits.
#pragma once

#include "tests/cuda/fake/ptx/instruction.h"

namespace fake {

/// The result of an instruction without side effects. Values are raw bits, zero- or sign-extended.
using Compute = uint64_t (*)(uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/// Throws PtxError for a form that is not known.
Compute compute_of(const Instruction& at);

/// What its function expects as d, if the instruction has no such operand.
uint64_t constant_operand(const Instruction& at);

/// The function of a cvt instruction. Throws PtxError.
Compute conversion_of(const Instruction& at);

/// What an atomic operation leaves in memory that held a, by its operands b and c. Throws PtxError.
Compute atomic_of(const Instruction& at);

}  // namespace fake
