// Modes of a script: gradients on or off, eager, autocast, looking for anomalies. Each belongs to
// the coroutine that set it.
#pragma once

#include <lua5.4/lua.hpp>

#include "bindings/modes/autocast.h"
#include "bindings/support/function.h"
#include "bindings/support/object.h"

namespace tide::bindings {

/// The modes of one coroutine.
struct Modes {
  bool gradients = true;
  bool eager = false;
  bool anomalies = false;      ///< nan and infinities are looked for after each op
  bool deterministic = false;  ///< asked for; nothing is otherwise
  Autocast autocast;
};

/// A mode that ends when its variable is closed, or the function that it was given returns.
struct Scope {
  lua_State* owner;
  bool Modes::*mode;  ///< null: autocast
  bool previous;
  Autocast previous_autocast;
  bool open;
};
template <>
inline constexpr ClassInfo kClass<Scope>{"tide.Scope"};

/// tide.no_grad and its like.
std::span<const Function> mode_functions();

/// Makes what the functions need in this state.
void open_modes(lua_State* L);

}  // namespace tide::bindings
