// What every function that Lua calls does first and last: the script's line and modes are made
// known to the runtime, and a C++ exception becomes a Lua error.
#pragma once

#include <exception>
#include <lua5.4/lua.hpp>

#include "runtime/core/error.h"
#include "runtime/device/call_site.h"
#include "runtime/profile/recorder.h"

namespace tide::bindings {

/// A wrong argument of a script's call.
struct ArgumentError : Error {
  using Error::Error;
};

/// What a thread knows about the Lua state it serves.
struct ThreadContext {
  lua_State* running = nullptr;  ///< the coroutine whose call was served last
  /// The coroutine whose modes are in force, if nothing but a change of coroutine can change that.
  lua_State* settled = nullptr;
  /// Memory is being reclaimed inside an op: finalizers must not call back into the runtime.
  bool reclaiming = false;
};
inline constinit thread_local ThreadContext thread_context;

/// Puts the modes of coroutine L in force: see bindings/modes/modes.h.
void settle_modes(lua_State* L);

/// Tells the runtime which script line is being served: the innermost frame outside the library.
void note_call_site(lua_State* L);

/// Notes in the profile under way that this thread works for a line from now on.
void profile_line(CallSite site);

/// A call of an op, for the profile under way.
class OpSpan {
 public:
  explicit OpSpan(const char* name) : span_(profile::EventKind::op, name) {
    if (span_) set_site(span_.event(), current_call_site());
  }

 private:
  profile::Span span_;
};

/// The beginning of a call that may record ops, wait or depend on modes.
inline void enter(lua_State* L) {
  thread_context.running = L;
  if (L != thread_context.settled) settle_modes(L);
  note_call_site(L);
}

/// Pushes the text of an exception that ended the current call, with "file:line: " in front.
void push_error(lua_State* L, const std::exception& error);

/// Pushes what require(name) gives.
void push_module(lua_State* L, const char* name);

/// Where the error about an unknown name is written. The tables of the library stand below it.
constexpr const char* kUnknownName = "tide.slips.unknown_name";

/// Raises the error for a name, at stack index 2, that the table or object at index 1 does not
/// have; `place` is what it is called.
int raise_unknown_name(lua_State* L, const char* place);

/// Pushes an __index that makes reading an unknown name an error of `place`.
void push_strict_index(lua_State* L, const char* place);

/// F as Lua calls it. Errors of the runtime become Lua errors that name the script's line. Only
/// std::exception is caught: in the program's Lua, errors of Lua are C++ exceptions of its own, and
/// must pass.
template <lua_CFunction F>
int guard(lua_State* L) {
  try {
    enter(L);
    return F(L);
  } catch (const std::exception& error) {
    push_error(L, error);
  }
  return lua_error(L);  // after the handler: the exception is released, as a longjmp demands
}

/// As guard, for functions that only look at what their arguments hold.
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
