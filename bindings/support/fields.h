// Sets fields of the table on top of the stack.
#pragma once

#include <concepts>
#include <cstdint>
#include <lua5.4/lua.hpp>
#include <string_view>

namespace tide::bindings {

inline void push_field(lua_State* L, bool value) { lua_pushboolean(L, value); }
inline void push_field(lua_State* L, std::integral auto value) {
  lua_pushinteger(L, static_cast<lua_Integer>(value));
}
inline void push_field(lua_State* L, double value) { lua_pushnumber(L, value); }
inline void push_field(lua_State* L, const char* text) { lua_pushstring(L, text); }
inline void push_field(lua_State* L, std::string_view text) {
  lua_pushlstring(L, text.data(), text.size());
}

/// Sets a field to a boolean, a number or a text.
void set_field(lua_State* L, const char* name, const auto& value) {
  push_field(L, value);
  lua_setfield(L, -2, name);
}

/// Sets a field, unless the text is empty.
inline void set_text(lua_State* L, const char* name, std::string_view text) {
  if (!text.empty()) set_field(L, name, text);
}

/// Pushes a list of the values that `push` pushes for the elements.
template <class List, class Push>
void push_list(lua_State* L, List&& list, const Push& push) {
  lua_createtable(L, static_cast<int>(list.end() - list.begin()), 0);
  lua_Integer count = 0;
  for (auto& element : list) {
    push(element);
    lua_rawseti(L, -2, ++count);
  }
}

}  // namespace tide::bindings
