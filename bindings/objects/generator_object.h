// Random number generators as Lua values.
#pragma once

#include "bindings/support/object.h"
#include "runtime/ops/random/random.h"

namespace tide::bindings {

template <>
inline constexpr ClassInfo kClass<Generator>{"tide.Generator", "generator"};

/// The generator at a stack index. Throws an ArgumentError that names `function`.
inline Generator& check_generator(lua_State* L, int index, const char* function) {
  return check<Generator>(L, index, function);
}

/// Creates the metatable of generators in this state.
void open_generator_class(lua_State* L);

}  // namespace tide::bindings
