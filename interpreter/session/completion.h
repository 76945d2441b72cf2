// Finds completions of the name before the cursor.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>
#include <vector>

#include "interpreter/session/session.h"

namespace tide {

/// The candidates for a name, and where it begins in the text.
struct Completion {
  size_t begin = 0;
  std::vector<std::string> candidates;
};

/// Candidates for the name at the end of `before_cursor`: globals and keywords, fields after a dot,
/// methods after a colon, module names inside `require "`, files inside other strings, options in
/// the table of a call, commands after `%`. Never changes values or waits; an error in a metamethod
/// yields no candidates.
Completion complete(lua_State* L, Session& session, const std::string& before_cursor);

}  // namespace tide
