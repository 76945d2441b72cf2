// C++ values as Lua userdata: creation, type checks, and finalization.
#pragma once

#include <lua5.4/lua.hpp>
#include <new>
#include <string>
#include <utility>

#include "bindings/support/arguments.h"
#include "bindings/support/entry.h"

namespace tide::bindings {

/// Identifies the userdata of one C++ type.
struct ClassInfo {
  const char* name;             ///< `__name` of its metatable
  const char* word = "object";  ///< name of a value in errors
};

/// The class of T; specialized for each type of userdata.
template <class T>
extern const ClassInfo kClass;

/// The contents of a userdata. Its first word is the address of the class, which no other library's
/// userdata contains, so a single comparison identifies it in every Lua state.
template <class T>
struct Box {
  const ClassInfo* info;  ///< kFinalized: the value was destroyed
  T value;
};
inline constexpr ClassInfo kFinalized{"finalized"};
inline constexpr ClassInfo kFreedTensor{"freed tensor"};  ///< a destroyed tensor

/// Whether freeing the userdata's memory destroys the value, without a finalizer: see
/// bindings/objects/handle_memory.h.
template <class T>
inline constexpr bool kEndsWithMemory = false;

/// The box at a stack index; null if it holds another type.
template <class T>
Box<T>* find_box(lua_State* L, int index) {
  auto* box = static_cast<Box<T>*>(lua_touserdata(L, index));
  // Light userdata have length 0.
  if (!box || lua_rawlen(L, index) != sizeof(Box<T>)) return nullptr;
  return box->info == &kClass<T> ? box : nullptr;
}

/// The value at a stack index; null if it is not of this class.
template <class T>
T* find(lua_State* L, int index) {
  Box<T>* box = find_box<T>(L, index);
  return box ? &box->value : nullptr;
}

/// The type name of the value at an index for error messages.
inline const char* type_name(lua_State* L, int index) {
  if (lua_isnone(L, index)) return "nothing";
  const void* block = lua_touserdata(L, index);
  if (block && lua_rawlen(L, index) >= sizeof(Box<char>)) {
    const ClassInfo* info = *static_cast<const ClassInfo* const*>(block);
    if (info == &kFreedTensor) return "a freed tensor";
    if (info == &kFinalized) return "a freed object";
  }
  const int type = lua_type(L, index);
  if (type == LUA_TUSERDATA || type == LUA_TTABLE) {
    const int named = luaL_getmetafield(L, index, "__name");
    const char* name =
        named == LUA_TSTRING ? lua_tostring(L, -1) : nullptr;  // the metatable keeps it alive
    if (named != LUA_TNIL) lua_pop(L, 1);
    if (name) return name;
  }
  return luaL_typename(L, index);
}

/// The receiver of a method, or an argument that must be of this class.
template <class T>
T& check(lua_State* L, int index, const char* function) {
  if (T* value = find<T>(L, index)) return *value;
  throw_expected(L, index, std::string(function) + ": " + argument_text(index, ""), kClass<T>.word);
}

/// Pushes a new userdata with this value. The class must be open in this state.
template <class T>
T& push_object(lua_State* L, T value) {
  auto* box = static_cast<Box<T>*>(lua_newuserdatauv(L, sizeof(Box<T>), 0));
  new (box) Box<T>{&kClass<T>, std::move(value)};
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kClass<T>);
  lua_setmetatable(L, -2);
  return box->value;
}

/// __gc: destroys the value; a second call does nothing.
template <class T>
int finalize(lua_State* L) {
  if (Box<T>* box = find_box<T>(L, 1)) {
    box->info = &kFinalized;
    box->value.~T();
  }
  return 0;
}

/// Creates the metatable of a class with these metamethods, and a table `__index` of methods
/// (unless the metamethods include `__index`). Leaves it on the stack.
template <class T>
void open_class(lua_State* L, const luaL_Reg* metamethods, const luaL_Reg* methods) {
  lua_createtable(L, 0, 16);
  lua_pushstring(L, kClass<T>.name);
  lua_setfield(L, -2, "__name");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  if constexpr (!kEndsWithMemory<T>) {
    lua_pushcfunction(L, finalize<T>);
    lua_setfield(L, -2, "__gc");
  }
  lua_createtable(L, 0, 16);
  luaL_setfuncs(L, methods, 0);
  lua_setfield(L, -2, "__index");
  luaL_setfuncs(L, metamethods, 0);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kClass<T>);
}

}  // namespace tide::bindings
