// A plain interpreter of loop programs, to compare kernels with: one element after the other.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "runtime/ir/loop.h"

namespace tide::test {

/// A value of one of the compute types.
using Number = std::variant<bool, uint8_t, int8_t, int16_t, int32_t, int64_t, float, double>;

/// Element `index` of memory of any type, widened; and back, rounded to nearest even.
Number read_element(DType type, const void* base, int64_t index);
void write_element(DType type, void* base, int64_t index, const Number& value);

Number convert_number(const Number& value, DType type);

/// Runs `program` over its whole domain.
void interpret(const LoopProgram& program, const LoopArguments& arguments);

}  // namespace tide::test
