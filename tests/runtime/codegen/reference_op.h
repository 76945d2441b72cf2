// Single ops on numbers of the host, through runtime/ir/math/reference_value.h.
#pragma once

#include <span>

#include "tests/runtime/codegen/loop_interpreter.h"

namespace tide::test {

/// `op` in the compute type of its operands; `type` is that of the result. Only for the ops that
/// reference_ops() lists.
Number apply_reference(OpCode op, std::span<const Number> operands, DType type);

Number combine_reference(Reduction reduction, const Number& a, const Number& b);

}  // namespace tide::test
