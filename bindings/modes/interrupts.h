// Holds interrupts until the script asks for them, such as between two training steps.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// native.hold_interrupts(): holds one interrupt of this thread for take_interrupt from now on; a
/// second one raises its error as usual.
int hold_interrupts(lua_State* L);
/// native.take_interrupt(): whether an interrupt is held; clears it.
int take_interrupt(lua_State* L);
/// native.release_interrupts(): ends hold_interrupts. A held interrupt raises its error now.
int release_interrupts(lua_State* L);

/// Whether to hold the current interrupt. Safe in a signal handler on the script's thread.
bool hold_back_interrupt();
/// Ends hold_interrupts and clears a held interrupt.
void forget_held_interrupts();

}  // namespace tide::bindings
