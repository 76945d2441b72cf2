#include "bindings/support/arguments.h"

#include "bindings/support/object.h"
#include "runtime/types/error.h"

namespace tide::bindings {

void throw_expected(lua_State* L, int index, std::string_view function, std::string_view expected) {
  throw ArgumentError(std::string(function) + ": expected " + std::string(expected) + ", got " +
                      type_name(L, index));
}

std::string argument_text(int number, std::string_view name) {
  const std::string text = "argument " + std::to_string(number);
  return name.empty() ? text : text + " (" + std::string(name) + ")";
}

const char* text_at(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TSTRING)
    throw_expected(L, index, argument_text(index, ""), "string");
  return lua_tostring(L, index);
}

}  // namespace tide::bindings
