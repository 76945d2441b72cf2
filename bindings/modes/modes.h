// Modes of a script: gradients on or off, eager, autocast, looking for anomalies, streams. Each
// belongs to the coroutine that set it.
#pragma once

#include <lua5.4/lua.hpp>

#include "bindings/ops/autocast.h"
#include "bindings/support/function.h"
#include "bindings/support/object.h"
#include "runtime/record/engine.h"

namespace tide::bindings {

/// The modes of one coroutine.
struct Modes {
  bool gradients = true;
  bool eager = false;
  bool anomalies = false;      ///< nan and infinities are looked for after each op
  bool deterministic = false;  ///< asked for; nothing is otherwise
  bool no_sync = false;        ///< waits for devices are errors
  Autocast autocast;
  engine::StreamChoice streams;
};

/// A mode that ends when its variable is closed, or the function that it was given returns.
struct Scope {
  lua_State* owner;
  const char* name;   ///< of the function that opened it
  bool Modes::*mode;  ///< null: autocast or, with `of_streams`, streams
  bool previous = false;
  Autocast previous_autocast{};
  bool of_streams = false;
  engine::StreamChoice previous_streams{};
  bool open = false;
};
template <>
inline constexpr ClassInfo kClass<Scope>{"tide.Scope"};

/// Notes that something has begun which the script's next instructions put into a variable that
/// ends it: an error between the two would leave it open.
void note_opening();
/// Whether something was noted since this was asked last. Safe in a Lua hook.
bool take_opening();

/// Makes `on` the gradient mode of coroutine L, to which its scopes return, and puts it in force.
/// Returns the mode that it had.
bool set_gradient_mode(lua_State* L, bool on);
/// Opens a scope in which work goes to the stream. With a function as first argument: calls it with
/// the others in that scope.
int open_stream_scope(lua_State* L, engine::StreamId stream);
/// native.watch_scopes(): a list in which scopes stand from now on while they are open, but for
/// those that were given a function.
int watch_scopes(lua_State* L);
/// tide.no_grad and its like.
std::span<const Function> mode_functions();

/// Makes what the functions need in this state.
void open_modes(lua_State* L);

}  // namespace tide::bindings
