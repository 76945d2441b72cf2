// Finds what the name before the cursor may become.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>
#include <vector>

#include "interpreter/session/session.h"

namespace tide {

/// What a name may become, and where it begins in the text.
struct Completion {
  size_t begin = 0;
  std::vector<std::string> candidates;
};

/// Candidates for the name at the end of `before_cursor`: globals and keywords, fields behind a
/// dot, methods behind a colon, module names inside `require "`, files inside other strings,
/// options in the table of a call, commands behind `%`. Values are looked up, never changed;
/// nothing waits, and an error in a metamethod only means that there is nothing to offer.
Completion complete(lua_State* L, Session& session, const std::string& before_cursor);

}  // namespace tide
