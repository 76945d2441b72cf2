#include "bindings/support/function.h"

#include <optional>
#include <string>
#include <string_view>

#include "runtime/types/error.h"

namespace tide::bindings {
namespace {

/// The maximum number of arguments in this text; none: any number.
std::optional<int> most_arguments(std::string_view text) {
  if (text.empty()) return 0;
  int count = 1, depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}') --depth;
    if (depth > 0) continue;
    if (text.substr(i, 3) == "...") return std::nullopt;
    if (text[i] == ',' || text[i] == '|') ++count;
  }
  return count;
}

const Function& called(lua_State* L) {
  return *static_cast<const Function*>(lua_touserdata(L, lua_upvalueindex(1)));
}

/// Drops trailing nils after the function's last argument; any other value is an error.
int drop_surplus(lua_State* L) {
  const auto most = static_cast<int>(lua_tointeger(L, lua_upvalueindex(2)));
  for (int i = most + 1; i <= lua_gettop(L); ++i)
    if (!lua_isnil(L, i))
      throw ArgumentError(std::string(called(L).name) + ": too many arguments: argument " +
                          std::to_string(i) + " is a " + type_name(L, i));
  lua_settop(L, most);
  return 0;
}

int call_counted(lua_State* L) {
  if (lua_gettop(L) > lua_tointeger(L, lua_upvalueindex(2))) guard<drop_surplus>(L);
  return called(L).function(L);
}

}  // namespace

void register_functions(lua_State* L, std::span<const Function> functions, Receiver receiver) {
  for (const Function& f : functions) {
    if (const auto most = most_arguments(f.arguments)) {
      lua_pushlightuserdata(L, const_cast<Function*>(&f));
      lua_pushinteger(L, *most + (receiver == Receiver::first));
      lua_pushcclosure(L, call_counted, 2);
    } else {
      lua_pushcfunction(L, f.function);
    }
    lua_setfield(L, -2, f.name);
  }
}

}  // namespace tide::bindings
