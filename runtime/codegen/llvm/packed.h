// Arithmetic of half types in their own registers, two numbers to each, on GPUs that have it.
#pragma once

#include "runtime/codegen/llvm/value.h"
#include "runtime/ir/loop.h"

namespace tide::ir {

/// Whether the machine computes `op` on two values of the half type `type` without a detour by
/// float32, to the same bits.
bool is_packed(const Machine& machine, OpCode op, DType type);

/// The result of such an op. Operands and result are registers of memory_type(type).
Registers packed(const Lanes& lanes, OpCode op, DType type, const Registers& a, const Registers& b);

}  // namespace tide::ir
