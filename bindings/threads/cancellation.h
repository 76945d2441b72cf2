// Stops the Lua code of a thread that was cancelled: a signal arms a hook. A hook that is always
// armed would make Lua code twice as slow.
#pragma once

#include <pthread.h>

#include <atomic>
#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// Whether the function of a task is to stop, and how its thread gets to know.
class Cancellation {
 public:
  /// Asks the function to stop: where it waits for others, and in Lua code.
  void ask();
  bool asked() const { return asked_; }

 private:
  friend class Cancellable;
  std::atomic<bool> asked_{false};
  std::atomic<bool> runs_{false};
  pthread_t thread_{};
};

/// The cancellation of the calling thread; null on threads that nobody cancels.
extern constinit thread_local Cancellation* cancellation;

/// While it lives, Lua code of this thread raises "cancelled" once that was asked for.
class Cancellable {
 public:
  /// `L` is the state that runs the code, at first.
  explicit Cancellable(lua_State* L);
  ~Cancellable();
  Cancellable(const Cancellable&) = delete;
  Cancellable& operator=(const Cancellable&) = delete;

 private:
  lua_State* state_;
};

}  // namespace tide::bindings
