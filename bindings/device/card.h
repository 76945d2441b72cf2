// Cards of tide.estimate: from Lua tables to what the runtime models.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

#include "runtime/device/modelled/card_figures.h"

namespace tide::bindings {

/// The card that a table of scripts/tide/estimate/cards.lua describes.
CardFigures card_at(lua_State* L, int index);

/// tide.native.estimate.*: the formula, for scripts/tide/estimate.
std::span<const luaL_Reg> estimate_functions();

}  // namespace tide::bindings
