// Tensors as Lua values.
#pragma once

#include "bindings/objects/collector.h"
#include "bindings/support/object.h"
#include "runtime/tensor/tensor.h"

namespace tide::bindings {

template <>
inline constexpr ClassInfo kClass<Tensor>{"tide.Tensor", "tensor"};
template <>
inline constexpr bool kEndsWithMemory<Tensor> = true;

/// The tensor at a stack index; null if it is not a tensor or was freed.
inline const Tensor* find_tensor(lua_State* L, int index) { return find<Tensor>(L, index); }

/// The tensor at a stack index. Throws an ArgumentError that names `function`.
inline const Tensor& check_tensor(lua_State* L, int index, const char* function) {
  return check<Tensor>(L, index, function);
}

/// Pushes a tensor; nil if it is undefined. May collect garbage.
void push_tensor(lua_State* L, Tensor tensor);

/// Destroys the tensor in a box and marks it as freed. Does not call Lua.
void end_handle(Box<Tensor>& box);

}  // namespace tide::bindings
