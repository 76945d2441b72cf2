// Completion: parses the path of names before the cursor backwards, resolves it from the globals,
// and lists the fields of the last value.
#include "interpreter/session/completion.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "bindings/support/embedded.h"
#include "interpreter/run/state.h"

namespace tide {
namespace {

constexpr std::string_view kKeywords[] = {
    "and",      "break",  "do",   "else", "elseif", "end",   "false", "for",
    "function", "goto",   "if",   "in",   "local",  "nil",   "not",   "or",
    "repeat",   "return", "then", "true", "until",  "while",
};
constexpr int kChainLimit = 32;        ///< length of a chain of __index tables
constexpr int kStepLimit = 1'000'000;  ///< instructions that metamethods may run in one completion

bool is_name_character(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); }

/// `tide.nn.Li`: the steps `tide`, `nn`, then the partial name after the separator '.'.
struct Path {
  std::vector<std::string> steps;  ///< keys in order; an index is stored as "[3"
  char separator = '\0';           ///< '.', ':' or none for a global.
  std::string partial;
  size_t begin = 0;  ///< offset of `partial` in the line
};

/// Parses one step (`name` or `[3]`) that ends before `end`, and moves `end` to its beginning.
std::optional<std::string> read_step_backwards(std::string_view line, size_t& end) {
  size_t begin = end;
  const bool position = end > 0 && line[end - 1] == ']';
  if (position) --begin;
  while (begin > 0 && is_name_character(line[begin - 1])) --begin;
  std::string step(line.substr(begin, end - begin - position));
  if (step.empty()) return std::nullopt;
  if (position) {
    const bool digits =
        std::all_of(step.begin(), step.end(), [](unsigned char c) { return std::isdigit(c); });
    if (!digits || begin == 0 || line[begin - 1] != '[') return std::nullopt;
    --begin;
    step.insert(step.begin(), '[');
  }
  end = begin;
  return step;
}

std::optional<Path> read_path(std::string_view line) {
  Path path;
  size_t end = line.size();
  while (end > 0 && is_name_character(line[end - 1])) --end;
  path.begin = end;
  path.partial = line.substr(end);
  const auto separated = [&] {
    const bool dots = end > 1 && line[end - 1] == '.' && line[end - 2] == '.';
    return end > 0 && (line[end - 1] == '.' || line[end - 1] == ':') && !dots;
  };
  if (!separated()) return path;
  path.separator = line[--end];
  while (true) {
    std::optional<std::string> step = read_step_backwards(line, end);
    if (!step) return std::nullopt;
    const bool position = step->front() == '[';
    path.steps.insert(path.steps.begin(), std::move(*step));
    if (position) continue;
    if (!separated()) return path;
    --end;
  }
}

/// The names found so far, and the information needed to recognize methods.
struct Names {
  lua_State* state;
  const Path& path;
  std::set<std::string> found;
  int methods = 0;  ///< stack index of the reference's methods, or 0

  void add(std::string_view name, bool callable) {
    const bool hidden = name.starts_with('_') && !path.partial.starts_with('_');
    const bool fits = name.starts_with(path.partial) && !hidden;
    const bool is_name = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
                         std::all_of(name.begin(), name.end(), is_name_character);
    if (fits && is_name && (callable || path.separator != ':')) found.emplace(name);
  }

  /// Adds the string keys of the table on the top of the stack. If they are only `declared`, the
  /// value true marks methods.
  void add_keys(bool declared = false) {
    lua_pushnil(state);
    while (lua_next(state, -2)) {
      const bool callable =
          is_method() || (declared && lua_toboolean(state, -1) && lua_isboolean(state, -1));
      if (lua_type(state, -2) == LUA_TSTRING) add(lua_tostring(state, -2), callable);
      lua_pop(state, 1);
    }
  }

  /// Whether the value on the top of the stack, with its name below it, is a method: a function,
  /// which must be in the reference if it is the library's.
  bool is_method() const {
    if (!lua_isfunction(state, -1)) return false;
    if (!methods || lua_iscfunction(state, -1)) return true;
    lua_Debug info;
    lua_pushvalue(state, -1);
    lua_getinfo(state, ">S", &info);
    if (!is_library_source({info.source, info.srclen})) return true;
    lua_pushvalue(state, -2);
    const bool known = lua_rawget(state, methods) != LUA_TNIL;
    lua_pop(state, 1);
    return known;
  }

  /// Adds the fields of the value on the top of the stack: its keys, those of `__names`, and those
  /// of its chain of `__index` tables. Pops the value.
  void add_value() {
    for (int depth = 0; depth < kChainLimit; ++depth) {
      if (lua_istable(state, -1)) add_keys();
      add_declared();
      if (luaL_getmetafield(state, -1, "__index") == LUA_TNIL) break;
      lua_remove(state, -2);
    }
    lua_pop(state, 1);
  }

  /// Adds the names that the value's metatable declares in `__names`.
  void add_declared() {
    const int type = luaL_getmetafield(state, -1, "__names");
    if (type == LUA_TNIL) return;
    if (type == LUA_TFUNCTION) {
      lua_pushvalue(state, -2);
      lua_call(state, 1, 1);
    }
    if (lua_istable(state, -1)) add_keys(true);
    lua_pop(state, 1);
  }
};

/// Replaces the value on the top of the stack with its field or element `step`.
void take_step(lua_State* L, const std::string& step) {
  if (step.front() == '[') {
    lua_pushinteger(L, std::atoll(step.c_str() + 1));
  } else {
    lua_pushlstring(L, step.data(), step.size());
  }
  lua_gettable(L, -2);
  lua_remove(L, -2);
}

/// Arguments: Names as light userdata, the reference's methods or nil, and the starting value.
/// Collects the names; runs in protected mode because metamethods may raise errors.
int collect_names(lua_State* L) {
  Names& names = *static_cast<Names*>(lua_touserdata(L, 1));
  names.methods = lua_istable(L, 2) ? 2 : 0;
  for (const std::string& step : names.path.steps) take_step(L, step);
  names.add_value();
  return 0;
}

void stop_metamethod(lua_State* L, lua_Debug*) { luaL_error(L, "completion took too long"); }

std::vector<std::string> field_candidates(lua_State* L, Session& session, const Path& path) {
  Names names{L, path, {}};
  if (path.separator == '\0') {
    for (std::string_view keyword : kKeywords) names.add(keyword, true);
  }
  const int top = lua_gettop(L);
  lua_sethook(L, stop_metamethod, LUA_MASKCOUNT, kStepLimit);
  lua_pushcfunction(L, collect_names);
  lua_pushlightuserdata(L, &names);
  session.push_methods(path.separator == ':');
  session.push_names(path.steps.empty() ? "" : path.steps.front());
  lua_pcall(L, 3, 0, 0);
  lua_sethook(L, nullptr, 0, 0);
  lua_settop(L, top);
  return {names.found.begin(), names.found.end()};
}

/// Names other than values that are valid here: options, commands.
std::vector<std::string> other_candidates(lua_State* L, Session& session, const Path& path,
                                          const std::string& before_cursor) {
  Names names{L, path, {}};
  session.push_candidates(before_cursor);
  if (lua_istable(L, -1)) names.add_keys();
  lua_pop(L, 1);
  return {names.found.begin(), names.found.end()};
}

/// The position of the opening quote of an unfinished string.
std::optional<size_t> open_quote(std::string_view line) {
  std::optional<size_t> open;
  for (size_t i = 0; i < line.size(); ++i) {
    if (open && line[i] == '\\')
      ++i;
    else if (open && line[i] == line[*open])
      open.reset();
    else if (!open && (line[i] == '"' || line[i] == '\''))
      open = i;
  }
  return open;
}

/// Whether the string is the argument of `require`.
bool is_required(std::string_view before_quote) {
  const size_t last = before_quote.find_last_not_of(" (");
  return last != std::string_view::npos && before_quote.substr(0, last + 1).ends_with("require");
}

/// The names in the folder of `typed` that begin like it, without that folder; names of folders end
/// with a slash.
std::vector<std::string> file_candidates(std::string_view typed) {
  namespace fs = std::filesystem;
  const size_t kept = typed.find_last_of('/') + 1;  // 0 without a slash
  const std::string_view partial = typed.substr(kept);
  std::set<std::string> names;
  std::error_code error;
  const fs::path folder = kept ? fs::path(typed.substr(0, kept)) : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename();
    if (!name.starts_with(partial) || (partial.empty() && name.starts_with('.'))) continue;
    std::error_code unknown;
    if (entry->is_directory(unknown)) name += '/';
    names.insert(std::move(name));
  }
  return {names.begin(), names.end()};
}

void add_string_keys(lua_State* L, const char* package_field, std::set<std::string>& names) {
  push_global(L, "package");
  if (lua_istable(L, -1)) {
    lua_pushstring(L, package_field);
    lua_rawget(L, -2);
    if (lua_istable(L, -1)) {
      lua_pushnil(L);
      while (lua_next(L, -2)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TSTRING) names.insert(lua_tostring(L, -1));
      }
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/// Modules that begin with `typed`, without the part up to its last dot, where the editor's word
/// starts.
std::vector<std::string> module_candidates(lua_State* L, std::string_view typed) {
  std::set<std::string> modules;
  add_string_keys(L, "loaded", modules);
  add_string_keys(L, "preload", modules);
  for (std::string& name : library_modules()) modules.insert(std::move(name));
  const size_t kept = typed.find_last_of('.') + 1;  // 0 without a dot
  std::vector<std::string> candidates;
  for (const std::string& name : modules) {
    if (name.starts_with(typed)) candidates.push_back(name.substr(kept));
  }
  return candidates;
}

}  // namespace

Completion complete(lua_State* L, Session& session, const std::string& before_cursor) {
  const std::string_view line = before_cursor;
  if (const auto quote = open_quote(line)) {
    const std::string_view typed = line.substr(*quote + 1);
    const size_t begin = *quote + 1;
    if (is_required(line.substr(0, *quote)))
      return {begin + typed.find_last_of('.') + 1, module_candidates(L, typed)};
    return {begin + typed.find_last_of('/') + 1, file_candidates(typed)};
  }
  const std::optional<Path> path = read_path(line);
  if (!path) return {line.size(), {}};
  if (path->separator == '\0') {
    std::vector<std::string> others = other_candidates(L, session, *path, before_cursor);
    if (!others.empty() || line.starts_with('%')) return {path->begin, std::move(others)};
  }
  return {path->begin, field_candidates(L, session, *path)};
}

}  // namespace tide
