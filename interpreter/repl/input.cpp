// Compiles prompt input.
#include "interpreter/repl/input.h"

#include <string_view>

namespace tide {
namespace {

/// In front of an expression. With a variable to be closed Lua makes no tail call of it, which
/// would drop the line's own frame: errors could not name it.
constexpr char kReturn[] = "local __line <close> = nil; return ";

bool load(lua_State* L, const std::string& text, int line_number) {
  const std::string padded = std::string(line_number - 1, '\n') + text;
  return luaL_loadbufferx(L, padded.data(), padded.size(), kPromptChunk, "t") == LUA_OK;
}

/// Whether the message on the stack says that the text ended too early. A colon ends lines of
/// Python: no name of a method will follow it.
bool is_unfinished(lua_State* L, const std::string& text) {
  size_t size;
  const char* message = lua_tolstring(L, -1, &size);
  const size_t last = text.find_last_not_of(" \t\n");
  return std::string_view(message, size).ends_with("<eof>") && text[last] != ':';
}

/// The text with kReturn before its last line, or an empty one if it has a single line.
std::string with_last_line_returned(const std::string& text) {
  const size_t last = text.find_last_not_of(" \t\n");
  const size_t end_of_line = last == std::string::npos ? last : text.rfind('\n', last);
  if (end_of_line == std::string::npos) return "";
  return text.substr(0, end_of_line + 1) + kReturn + text.substr(end_of_line + 1);
}

}  // namespace

InputKind compile_input(lua_State* L, const std::string& text, int line_number) {
  const bool marked = text.starts_with('=');
  if (load(L, kReturn + text.substr(marked), line_number)) return InputKind::kRunnable;
  bool unfinished = is_unfinished(L, text);
  if (!marked) {
    lua_pop(L, 1);
    if (load(L, text, line_number)) return InputKind::kRunnable;
    unfinished |= is_unfinished(L, text);
  }
  // "x = 1" and a line "x" below it end too early as statements, and yet are complete.
  if (const std::string returning = with_last_line_returned(text); !returning.empty()) {
    const bool complete = load(L, returning, line_number);
    lua_remove(L, complete ? -2 : -1);
    if (complete) return InputKind::kRunnable;
  }
  if (!unfinished) return InputKind::kWrong;
  lua_pop(L, 1);
  return InputKind::kUnfinished;
}

}  // namespace tide
