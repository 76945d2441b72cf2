// Ctrl-C: stops the script that runs, in whatever coroutine, and leaves the Lua state usable.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide {

/// Who answers Ctrl-C once Lua code has been asked to stop and has not.
enum class Impatience {
  kEndProgram,  ///< A script: the second Ctrl-C ends the program.
  kWarnFirst,   ///< The prompt: the second says that the third will.
};

/// Takes over SIGINT for the rest of the program. Call once, on the thread that runs Lua.
void catch_interrupts(Impatience impatience);

/// Whether Ctrl-C was pressed while no Lua code ran; asking forgets it.
bool take_interrupt();

/// While one lives, Ctrl-C raises the error "interrupted" in the Lua code running in `L` or in a
/// coroutine of it. At its end work still queued by interrupted code is dropped.
class Interruptible {
 public:
  explicit Interruptible(lua_State* L);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Whether Ctrl-C was pressed. The code may have ended before it could be stopped.
  bool pressed() const;

 private:
  lua_State* state_;
};

}  // namespace tide
