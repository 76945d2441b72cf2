#include "bindings/support/function.h"

namespace tide::bindings {

void register_functions(lua_State* L, std::span<const Function> functions) {
  for (const Function& f : functions) {
    lua_pushcfunction(L, f.function);
    lua_setfield(L, -2, f.name);
  }
}

}  // namespace tide::bindings
