// Modes of a script: gradients, eager, autocast, anomaly detection, streams. Each belongs to the
// coroutine that set it.
#pragma once

#include <lua5.4/lua.hpp>
#include <optional>

#include "bindings/objects/event_object.h"
#include "bindings/ops/autocast.h"
#include "bindings/ops/signature.h"
#include "bindings/support/function.h"
#include "bindings/support/object.h"
#include "runtime/record/engine.h"

namespace tide::bindings {

/// The modes of one coroutine.
struct Modes {
  bool gradients = true;
  bool eager = false;
  bool anomalies = false;      ///< check for nan and infinities after each op
  bool deterministic = false;  ///< requested; always the case
  bool no_sync = false;        ///< waits for devices are errors
  Autocast autocast;
  engine::StreamChoice streams;
};

/// A mode that ends when its variable is closed or its function returns.
struct Scope {
  lua_State* owner = nullptr;
  const char* name = "";        ///< of the function that opened it
  bool Modes::*mode = nullptr;  ///< null: autocast or, with `of_streams`, streams
  bool previous = false;
  Autocast previous_autocast{};
  bool of_streams = false;
  engine::StreamChoice previous_streams{};
  bool open = false;
};
template <>
inline constexpr ClassInfo kClass<Scope>{"tide.Scope", "scope"};

/// Records that a scope was opened which the script's next instructions assign to a to-be-closed
/// variable: an error before that would leave it open.
void note_opening();
/// Whether a scope was recorded since the last call. Safe in a Lua hook.
bool take_opening();

/// Sets and applies the gradient mode of coroutine L, to which its scopes return. Returns the
/// previous mode.
bool set_gradient_mode(lua_State* L, bool on);
/// Opens a scope in which work goes to the stream. Calls the function, if there is one, with its
/// arguments in the scope.
int open_stream_scope(lua_State* L, const StreamObject& stream, std::optional<Callable> fn,
                      Values arguments);
/// native.watch_scopes(): starts and returns a list of the open scopes, except those with a
/// function.
int watch_scopes(lua_State* L);
/// tide.no_grad and other modes.
std::span<const Function> mode_functions();

/// Creates the metatables that the functions need in this state.
void open_modes(lua_State* L);

}  // namespace tide::bindings
