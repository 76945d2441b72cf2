// The Lua functions on threads and channels.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

#include "bindings/support/function.h"

namespace tide::bindings {

/// tide.thread.
std::span<const Function> thread_functions();
std::span<const Function> thread_methods();
/// tide.channel.
std::span<const Function> channel_functions();
std::span<const Function> channel_methods();

/// Creates the metatables of threads and channels in this state.
void open_thread_class(lua_State* L);
void open_channel_class(lua_State* L);

}  // namespace tide::bindings
