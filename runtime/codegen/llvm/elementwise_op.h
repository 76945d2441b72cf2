// The definitions of elementwise ops over IR values.
#pragma once

#include <span>

#include "runtime/codegen/llvm/value.h"
#include "runtime/ir/loop.h"

namespace tide::ir {

/// The op's value, not yet rounded to the type of its result. All operands have the same lanes.
/// `type` is the compute type of the result.
Value apply(OpCode op, std::span<const Value> operands, DType type);

/// a (op) b of a reduction.
Value combine(Reduction reduction, const Value& a, const Value& b);

/// What changes no value that it is combined with; of the type of `like`.
Value identity(Reduction reduction, const Value& like);

}  // namespace tide::ir
