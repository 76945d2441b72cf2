// Parameters and notes of ops and functions in C++: what help shows besides their rows.
//
// TIDE_NOTES("NAMES", R"(...)") in bindings/ops/rows/*.def and functions.def has lines as in the
// declarations of the Lua library (scripts/tide/internal/declare/declaration.lua): "@param NAME
// TYPE = DEFAULT  TEXT", where the type may be omitted if the row has it, and the notes "@formula",
// "@shapes", "@counts", "@waits", "@errors" and "@see". NAMES are names or paths, separated by
// spaces; "FAMILY:" is all names of a family, "*" all names. A path has precedence over a name, a
// name over a family, and a family over "*".
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// Pushes all of them as a list of {names, text}.
int push_notes(lua_State* L);

}  // namespace tide::bindings
