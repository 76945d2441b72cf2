// Arithmetic of half types in their own registers, two elements to each, on GPUs that have it.
#pragma once

#include "runtime/codegen/llvm/value.h"
#include "runtime/ir/loop.h"

namespace tide::ir {

/// Whether the machine computes `op` on two values of the half type `type` without going through
/// float32, with the same bits.
bool is_packed(const Machine& machine, OpCode op, DType type);

/// Computes the op. Operands and result are registers of memory_type(type).
Registers packed(const Lanes& lanes, OpCode op, DType type, const Registers& a, const Registers& b);

}  // namespace tide::ir
