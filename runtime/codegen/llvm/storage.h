// Conversions between elements in memory and the types that kernels compute in.
#pragma once

#include "runtime/codegen/llvm/value.h"

namespace tide::ir {

/// The IR type of one element in memory: i8 or i16 for narrow types.
llvm::Type* memory_type(llvm::LLVMContext& context, DType type);

/// The IR type of f16 or bf16 themselves.
llvm::Type* half_type(llvm::LLVMContext& context, DType type);

/// Registers of memory_type(type) as a value of compute_type(type).
Value widen(const Lanes& lanes, DType type, const Registers& raw);

/// `value`, converted to `type`, as registers of memory_type(type). Rounds to nearest even.
Registers narrow(const Value& value, DType type);

}  // namespace tide::ir
