// Flags of a thread, which a signal handler on that thread can read.
#include "bindings/modes/interrupts.h"

#include <signal.h>

#include <atomic>

namespace tide::bindings {
namespace {

// Per thread, because only the thread of the main script is interrupted.
thread_local std::atomic<bool> holding{false};
thread_local std::atomic<bool> waiting{false};

}  // namespace

int hold_interrupts(lua_State*) {
  holding = true;
  return 0;
}

int take_interrupt(lua_State* L) {
  lua_pushboolean(L, waiting.exchange(false));
  return 1;
}

int release_interrupts(lua_State*) {
  holding = false;
  if (waiting.exchange(false)) raise(SIGINT);
  return 0;
}

bool hold_back_interrupt() { return holding && !waiting.exchange(true); }

void forget_held_interrupts() {
  holding = false;
  waiting = false;
}

}  // namespace tide::bindings
