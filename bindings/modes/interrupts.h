// Interrupts that wait until the script asks for them, as a training does between two steps.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// native.hold_interrupts(): from now on one interrupt of this thread waits for take_interrupt; a
/// second one raises its error as always.
int hold_interrupts(lua_State* L);
/// native.take_interrupt(): whether one waits; asking forgets it.
int take_interrupt(lua_State* L);
/// native.release_interrupts(): ends hold_interrupts. One that nobody took raises its error now.
int release_interrupts(lua_State* L);

/// Whether an interrupt that came now waits. Safe in a signal handler on the script's thread.
bool hold_back_interrupt();
/// Ends hold_interrupts and forgets what waits.
void forget_held_interrupts();

}  // namespace tide::bindings
