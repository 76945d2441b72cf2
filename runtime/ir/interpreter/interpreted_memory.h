// What an interpreted loop does beside elementwise ops: loads, stores, conversions, reductions.
#pragma once

#include <cstdint>

#include "runtime/core/dtype.h"
#include "runtime/ir/interpreter/interpreted_ops.h"
#include "runtime/ir/loop.h"

namespace tide::interpreted {

/// Copies elements that lie `stride` apart in memory to an array of their compute type.
using Load = void (*)(const void* from, int64_t stride, void* array, int64_t count);
Load load_of(DType type);

/// Copies an array of the compute type of `type` to elements that lie `stride` apart, rounded.
using Store = void (*)(const void* array, void* to, int64_t stride, int64_t count);
Store store_of(DType type);

/// Of operands[0], from one compute type to that of `to`, so that rounding it to `to` is the only
/// rounding.
InterpretedCall conversion(DType from, DType to);

/// Rounds f32 in place to what the half type holds.
using Rounding = void (*)(void* array, int64_t count);
Rounding rounding_to(DType half);

/// Combines an array of a compute type by the tree that loop.h states.
using Reduce = void (*)(const void* array, int64_t count, void* result);
Reduce reduction(Reduction reduction, DType type);

/// Makes `count` elements like the first of an array.
void spread(DType type, void* array, int64_t count);

}  // namespace tide::interpreted
