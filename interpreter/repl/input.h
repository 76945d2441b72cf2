// Turns what was typed into a function: as an expression first, then as statements.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>

namespace tide {

/// The name of all that is typed. Lines are counted through the whole session: an error that shows
/// up later than the line that queued its op can then name both.
inline constexpr char kPromptChunk[] = "=stdin";

/// What a text typed at the prompt is.
enum class InputKind {
  kRunnable,    ///< Its function is on the stack.
  kUnfinished,  ///< More lines may complete it. Nothing is on the stack.
  kWrong,       ///< The message of the syntax error is on the stack.
};

/// Compiles `text`, whose first line is the session's line `line_number`. `=text` and text that
/// makes an expression return its values; so does the last line of several, if it is one.
InputKind compile_input(lua_State* L, const std::string& text, int line_number);

}  // namespace tide
