// Stops the script that runs, in whatever coroutine: at Ctrl-C, which leaves the Lua state usable,
// or for good.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>

namespace tide {

/// Who answers Ctrl-C once Lua code has been asked to stop and has not.
enum class Impatience {
  kEndProgram,  ///< A script: the second Ctrl-C ends the program.
  kWarnFirst,   ///< The prompt: the second says that the third will.
  kNone,        ///< A notebook: who wants to end it has other means.
};

/// Takes over SIGINT for the rest of the program. Call once, on the thread that runs Lua.
void catch_interrupts(Impatience impatience);

/// Whether Ctrl-C was pressed while no Lua code ran; asking forgets it.
bool take_interrupt();

/// Whether the Lua code that runs was asked to stop.
bool is_interrupted();

/// From now on all Lua code is stopped by the error `reason`, a text that stays, as Ctrl-C stops it
/// by "interrupted". From any thread, once.
void stop_for_good(const char* reason);

/// Whether stop_for_good was called.
bool stopped_for_good();

/// What the error says that stops Lua code: the reason of stop_for_good, else "interrupted".
const char* stop_reason();

/// While one lives, Ctrl-C raises the error "interrupted" in the Lua code running in `L` or in a
/// coroutine of it. At its end work still queued by interrupted code is dropped; `report` then gets
/// what there is to say about that. A script that holds interrupts (see tide_hold_interrupt) is
/// asked first; only the next Ctrl-C raises the error.
class Interruptible {
 public:
  Interruptible(lua_State* L, std::string& report);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Whether the code was to be stopped. It may have ended before it could be.
  bool asked() const;

 private:
  lua_State* state_;
  std::string& report_;
};

}  // namespace tide
