// Stops the running script in any coroutine: on Ctrl-C, which leaves the Lua state usable, or
// permanently.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>

namespace tide {

/// What a further Ctrl-C does if Lua code was asked to stop and still runs.
enum class Impatience {
  kEndProgram,  ///< A script: the second Ctrl-C ends the program.
  kWarnFirst,   ///< The prompt: the second prints a warning, the third ends the program.
  kNone,        ///< A notebook: nothing; Jupyter can shut down the kernel.
};

/// Handles SIGINT from now on. Call it once, on the thread that runs Lua.
void catch_interrupts(Impatience impatience);

/// Whether Ctrl-C was pressed while no Lua code ran; clears the flag.
bool take_interrupt();

/// Whether the running Lua code was asked to stop.
bool is_interrupted();

/// Stops all Lua code from now on with the error `reason`, a string that must stay valid, as Ctrl-C
/// does with "interrupted". Call it once, from any thread.
void stop_for_good(const char* reason);

/// Whether stop_for_good was called.
bool stopped_for_good();

/// The message of the error that stops Lua code: the reason of stop_for_good, else "interrupted".
const char* stop_reason();

/// While it exists, Ctrl-C raises the error "interrupted" in the Lua code running in `L` or one of
/// its coroutines. The destructor drops work queued by interrupted code and sets `report` to a
/// message about it. A script that holds interrupts (see tide_hold_interrupt) is notified first;
/// only the next Ctrl-C raises the error.
class Interruptible {
 public:
  Interruptible(lua_State* L, std::string& report);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Whether the code was asked to stop. It may have ended before it was stopped.
  bool asked() const;

 private:
  lua_State* state_;
  std::string& report_;
};

}  // namespace tide
