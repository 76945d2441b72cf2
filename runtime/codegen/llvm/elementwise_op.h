// The definitions of elementwise ops over IR values.
#pragma once

#include <span>

#include "runtime/codegen/llvm/value.h"
#include "runtime/ir/loop.h"

namespace tide::ir {

/// The op's value, not yet rounded to the type of its result; for a conversion, the operand. All
/// operands have the same lanes.
Value apply(OpCode op, std::span<const Value> operands);

/// a (op) b of a reduction.
Value combine(Reduction reduction, const Value& a, const Value& b);

/// The identity element of a reduction, of the type of `like`.
Value identity(Reduction reduction, const Value& like);

}  // namespace tide::ir
