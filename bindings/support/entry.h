// Entry and exit of every function called by Lua: passes the script's line and modes to the
// runtime, and converts C++ exceptions to Lua errors.
#pragma once

#include <exception>
#include <lua5.4/lua.hpp>

#include "runtime/device/call_site.h"
#include "runtime/profile/recorder.h"
#include "runtime/types/error.h"

namespace tide::bindings {

/// An invalid argument of a script's call.
struct ArgumentError : Error {
  using Error::Error;
};

/// A thread's information on the Lua state it serves.
struct ThreadContext {
  lua_State* running = nullptr;  ///< the coroutine of the last call
  /// The coroutine whose modes are applied, if only a change of coroutine can change them.
  lua_State* settled = nullptr;
  /// Memory is being reclaimed inside an op: finalizers must not call back into the runtime.
  bool reclaiming = false;
};
inline constinit thread_local ThreadContext thread_context;

/// Applies the modes of coroutine L: see bindings/modes/modes.h.
void settle_modes(lua_State* L);

/// Sets the runtime's call site to the script line of the innermost frame outside the library.
void note_call_site(lua_State* L);

/// Records in the active profile that this thread now works for a line.
void profile_line(CallSite site);

/// A call of an op, for the active profile.
class OpSpan {
 public:
  explicit OpSpan(const char* name) : span_(profile::EventKind::op, name) {
    if (span_) set_site(span_.event(), current_call_site());
  }

 private:
  profile::Span span_;
};

/// Begins a call that may record ops, wait or depend on modes.
inline void enter(lua_State* L) {
  thread_context.running = L;
  if (L != thread_context.settled) settle_modes(L);
  note_call_site(L);
}

/// Pushes the message of an exception that ended the current call, prefixed with "file:line: ".
void push_error(lua_State* L, const std::exception& error);

/// Pushes the result of require(name).
void push_module(lua_State* L, const char* name);

/// The module that creates the error about an unknown name.
constexpr const char* kUnknownName = "tide.mistakes.unknown_name";

/// Raises the error for a name, at stack index 2, that the table or object at index 1 does not
/// have; `place` is its name.
int raise_unknown_name(lua_State* L, const char* place);

/// Pushes an __index that makes reading an unknown name an error of `place`.
void push_strict_index(lua_State* L, const char* place);

/// F as a Lua function. Runtime errors become Lua errors with the script's line. Only
/// std::exception is caught: in the program's C++ build of Lua, Lua errors are C++ exceptions that
/// must propagate.
template <lua_CFunction F>
int guard(lua_State* L) {
  try {
    enter(L);
    return F(L);
  } catch (const std::exception& error) {
    push_error(L, error);
  }
  return lua_error(L);  // outside the handler, so that the exception is released even with longjmp
}

/// Like guard, for functions that only inspect their arguments.
template <lua_CFunction F>
int guard_lookup(lua_State* L) {
  try {
    return F(L);
  } catch (const std::exception& error) {
    push_error(L, error);
  }
  return lua_error(L);
}

}  // namespace tide::bindings
