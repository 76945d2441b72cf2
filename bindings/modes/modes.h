// Modes of a script: gradients on or off, eager. Each belongs to the coroutine that set it.
#pragma once

#include <lua5.4/lua.hpp>

#include "bindings/support/function.h"
#include "bindings/support/object.h"

namespace tide::bindings {

/// The modes of one coroutine.
struct Modes {
  bool gradients = true;
  bool eager = false;
};

/// A mode that ends when its variable is closed, or the function that it was given returns.
struct Scope {
  lua_State* owner;
  bool Modes::*mode;
  bool previous;
  bool open;
};
template <>
inline constexpr ClassInfo kClass<Scope>{"tide.Scope"};

/// tide.no_grad and its like.
std::span<const Function> mode_functions();

/// Makes what the functions need in this state.
void open_modes(lua_State* L);

}  // namespace tide::bindings
