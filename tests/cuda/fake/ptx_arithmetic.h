// What single PTX instructions compute, on raw bits.
#pragma once

#include "tests/cuda/fake/ptx_module.h"

namespace fake {

/// The result of an instruction without side effects. Values are raw bits, zero- or sign-extended.
/// Throws PtxError for a form that the interpreter does not know.
uint64_t compute(const Instruction& at, uint64_t a, uint64_t b, uint64_t c, uint64_t d);

/// What an atomic operation leaves in memory that held `old`.
uint64_t atomic_result(const Instruction& at, uint64_t old, uint64_t b, uint64_t c);

}  // namespace fake
