#include "bindings/support/arguments.h"

#include <algorithm>

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

void throw_expected_argument(lua_State* L, int index, const char* function, std::string_view name,
                             std::string_view expected) {
  throw_expected(L, index, std::string(function) + ": " + argument_text(index, name), expected);
}

const char* text_at(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TSTRING)
    throw_expected(L, index, argument_text(index, ""), "string");
  return lua_tostring(L, index);
}

void check_option(const char* function, std::string_view key, std::string_view known) {
  for (size_t begin = 0; begin < known.size();) {
    const size_t end = std::min(known.find(", ", begin), known.size());
    if (known.substr(begin, end - begin) == key) return;
    begin = end + 2;
  }
  throw ArgumentError(std::string(function) + ": unknown option '" + std::string(key) +
                      "': known are " + std::string(known));
}

}  // namespace tide::bindings
