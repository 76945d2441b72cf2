// Non-elementwise parts of interpreted loops: loads, stores, conversions, reductions.
#pragma once

#include <cstdint>

#include "runtime/ir/interpreter/interpreted_ops.h"
#include "runtime/ir/loop.h"
#include "runtime/types/dtype.h"

namespace tide::interpreted {

/// Copies elements that are `stride` apart in memory to an array of their compute type.
using Load = void (*)(const void* from, int64_t stride, void* array, int64_t count);
Load load_of(DType type);

/// Where an element is in the dimension of a load at computed positions: see LoopInstruction::load.
struct Lookup {
  const int64_t *positions, *sizes, *strides;  ///< strides: null: all are 1
};
/// Likewise, at computed positions.
using LoadAt = void (*)(const void* from, int64_t stride, const Lookup& lookup, void* array,
                        int64_t count);
LoadAt load_at_of(DType type);

/// Copies an array of the compute type of `type` to elements that are `stride` apart, rounded.
using Store = void (*)(const void* array, void* to, int64_t stride, int64_t count);
Store store_of(DType type);

/// Converts operands[0] from a compute type to that of `to`, such that rounding the result to `to`
/// is the only rounding.
InterpretedCall conversion(DType from, DType to);

/// Rounds f32 in place to values of the half type.
using Rounding = void (*)(void* array, int64_t count);
Rounding rounding_to(DType half);

/// Combines an array of a compute type by the tree that loop.h defines.
using Reduce = void (*)(const void* array, int64_t count, void* result);
Reduce reduction(Reduction reduction, DType type);

/// Copies the first element of an array to all `count` elements.
void spread(DType type, void* array, int64_t count);

}  // namespace tide::interpreted
