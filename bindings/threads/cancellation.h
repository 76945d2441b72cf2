// Stops the Lua code of a cancelled thread: a signal sets a hook. A permanent hook would make Lua
// code twice as slow.
#pragma once

#include <pthread.h>

#include <atomic>
#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// The cancellation state of a job's function, and the thread to signal.
class Cancellation {
 public:
  /// Asks the function to stop, in waits and in Lua code.
  void ask();
  bool asked() const { return asked_; }

 private:
  friend class Cancellable;
  std::atomic<bool> asked_{false};
  std::atomic<bool> runs_{false};
  pthread_t thread_{};
};

/// The cancellation of the calling thread; null on threads that cannot be cancelled.
extern constinit thread_local Cancellation* cancellation;

/// While it exists, Lua code of this thread raises "cancelled" after a request.
class Cancellable {
 public:
  /// `L` is the main coroutine of the code.
  explicit Cancellable(lua_State* L);
  ~Cancellable();
  Cancellable(const Cancellable&) = delete;
  Cancellable& operator=(const Cancellable&) = delete;

 private:
  lua_State* state_;
};

}  // namespace tide::bindings
