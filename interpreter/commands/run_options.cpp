// Parses the options of `tide run`, and detects those that the script would ignore.
#include "interpreter/commands/run_options.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <lua5.4/lua.hpp>
#include <memory>
#include <string_view>

#include "interpreter/run/script.h"

namespace tide {
namespace {

constexpr std::string_view kEndOfOptions = "--";

int append(lua_State*, const void* bytes, size_t size, void* code) {
  static_cast<std::string*>(code)->append(static_cast<const char*>(bytes), size);
  return 0;
}

/// The bytecode of the function on top of the stack. Its strings are prefixed with their length.
std::string constants(lua_State* L) {
  std::string code;
  lua_dump(L, append, &code, true);
  return code;
}

/// Whether the bytecode has the string constant `text`.
bool has_constant(std::string_view code, std::string_view text) {
  const char head[] = {LUA_TSTRING, static_cast<char>(0x80 | (text.size() + 1))};
  return code.find(std::string(head, 2).append(text)) != std::string_view::npos;
}

/// Whether the script uses `...` at its top level: inside a function without varargs, that is an
/// error.
bool uses_varargs(lua_State* L, std::string_view text) {
  const std::string function = std::string("local function main()\n").append(text) + "\nend";
  if (luaL_loadbufferx(L, function.data(), function.size(), "=", "t") == LUA_OK) return false;
  return std::string_view(lua_tostring(L, -1)).find("cannot use '...'") != std::string_view::npos;
}

struct Question {
  const std::string& text;
  const std::string& option;
  bool answer = true;
};

int may_read(lua_State* L) {
  auto& question = *static_cast<Question*>(lua_touserdata(L, 1));
  std::string_view text = question.text;
  if (text.starts_with('#')) text.remove_prefix(std::min(text.find('\n'), text.size()));
  // A script that does not compile reports its own error later.
  if (luaL_loadbufferx(L, text.data(), text.size(), "=", "t") != LUA_OK) return 0;
  const std::string code = constants(L);
  question.answer = has_constant(code, "arg") || has_constant(code, "args") ||
                    code.find(question.option) != std::string::npos || uses_varargs(L, text);
  return 0;
}

/// Whether a script with this source may read the option from its arguments.
bool may_read(const std::string& text, const std::string& option) {
  const std::unique_ptr<lua_State, void (*)(lua_State*)> state(luaL_newstate(), lua_close);
  Question question{text, option};
  if (!state) return true;
  lua_pushcfunction(state.get(), may_read);
  lua_pushlightuserdata(state.get(), &question);
  lua_pcall(state.get(), 1, 0, 0);
  return question.answer;
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

int set_options(lua_State* L) {
  tide_set_options(L, *static_cast<const TideOptions*>(lua_touserdata(L, 1)));
  return 0;
}

std::string name_of(const std::string& word) { return word.substr(0, word.find('=')); }

}  // namespace

bool RunOptions::read(OptionReader& reader) {
  if (limits.read(reader)) return true;
  if (auto device = reader.value("--device")) {
    runtime.device = *device;
  } else if (auto seed = reader.number("--seed", 0)) {
    runtime.seed = *seed;
  } else if (reader.flag("--syncs")) {
    runtime.syncs = true;
  } else if (auto profile = reader.value("--profile")) {
    runtime.profile = *profile;
  } else if (reader.flag("--profile-lines")) {
    runtime.profile_lines = true;
  } else if (reader.flag("--advise")) {
    runtime.advise = true;
  } else {
    return false;
  }
  return true;
}

bool apply_options(lua_State* L, const TideOptions& options) {
  lua_pushcfunction(L, set_options);
  lua_pushlightuserdata(L, const_cast<TideOptions*>(&options));
  const bool applied = call(L, 1, 0);
  if (!applied) report_error(L);
  return applied;
}

bool is_run_option(const std::string& word) {
  const Words words = {name_of(word), "1"};  // a value that any option takes
  OptionReader reader(words, 0);
  return word != kEndOfOptions && RunOptions().read(reader);
}

void refuse_unread_options(const std::string& file, const Words& words) {
  const auto end = std::find(words.begin(), words.end(), kEndOfOptions);
  const auto option = std::find_if(words.begin(), end, is_run_option);
  if (file.empty() || option == end || may_read(file_text(file), name_of(*option))) return;
  throw UsageError{"'" + *option + "' is an option of `tide run " + file + "`; after `tide " +
                   file +
                   "` it is an argument of the script, which uses neither ..., arg nor tide.args"};
}

}  // namespace tide
