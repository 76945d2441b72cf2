// Generators of random numbers as Lua values.
#pragma once

#include "bindings/support/object.h"
#include "runtime/ops/random/random.h"

namespace tide::bindings {

template <>
inline constexpr ClassInfo kClass<Generator>{"tide.Generator", "generator"};

/// The generator at a stack index. Throws ArgumentError that names `function`.
inline Generator& check_generator(lua_State* L, int index, const char* function) {
  return check<Generator>(L, index, function);
}

/// Makes the class of generators in this state.
void open_generator_class(lua_State* L);

}  // namespace tide::bindings
