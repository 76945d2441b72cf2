// Cards of tide.estimate, converted from Lua tables for the runtime's model.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

#include "runtime/device/modelled/card_figures.h"

namespace tide::bindings {

/// The card described by a table of scripts/tide/tools/estimate/cards.lua.
CardFigures card_at(lua_State* L, int index);

/// tide.native.estimate.*: the formula, for scripts/tide/tools/estimate.
std::span<const luaL_Reg> estimate_functions();

}  // namespace tide::bindings
