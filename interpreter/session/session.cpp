// Calls the session object of the Lua library.
#include "interpreter/session/session.h"

#include <string_view>
#include <utility>

#include "interpreter/run/script.h"

namespace tide {
namespace {

/// Registry key of the session, which the first call creates.
constexpr char kSession = 0;
constexpr char kMakeSession[] = "return require('tide.session.session')()";

constexpr std::pair<std::string_view, InputKind> kKinds[] = {{"run", InputKind::kRunnable},
                                                             {"unfinished", InputKind::kUnfinished},
                                                             {"wrong", InputKind::kWrong},
                                                             {"leave", InputKind::kLeave},
                                                             {"nothing", InputKind::kNothing}};

InputKind kind_named(std::string_view name) {
  for (const auto& [known, kind] : kKinds)
    if (known == name) return kind;
  return InputKind::kNothing;
}

/// Calls the session's method named by argument 1 with the other arguments.
int call_session(lua_State* L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kSession) == LUA_TNIL) {
    if (luaL_dostring(L, kMakeSession) != LUA_OK) return lua_error(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &kSession);
    lua_replace(L, -2);
  }
  lua_getfield(L, -1, lua_tostring(L, 1));
  lua_replace(L, 1);
  lua_insert(L, 2);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

}  // namespace

/// Calls a method with the arguments on the stack. On failure, pushes the message and returns
/// false.
bool Session::call_method(const char* name, int arguments, int results) {
  const int first = lua_gettop(state_) - arguments + 1;
  lua_pushcfunction(state_, call_session);
  lua_insert(state_, first);
  lua_pushstring(state_, name);
  lua_insert(state_, first + 1);
  return lua_pcall(state_, arguments + 1, results, 0) == LUA_OK;
}

InputKind Session::read(std::string& text, bool aside) {
  lua_pushlstring(state_, text.data(), text.size());
  lua_pushinteger(state_, number_);
  lua_pushboolean(state_, aside);
  if (!call_method("read", 3, 3)) return InputKind::kWrong;
  const InputKind kind = kind_named(lua_tostring(state_, -3));
  text = lua_tostring(state_, -1);
  lua_pop(state_, 1);
  lua_remove(state_, -2);
  if (kind != InputKind::kRunnable && kind != InputKind::kWrong) lua_pop(state_, 1);
  return kind;
}

InputKind Session::read(std::string& text) {
  const InputKind kind = read(text, false);
  if (kind == InputKind::kRunnable || kind == InputKind::kWrong) ++number_;
  return kind;
}

InputKind Session::read_aside(std::string text) { return read(text, true); }

InputKind Session::check(const std::string& text, int& depth) {
  lua_pushlstring(state_, text.data(), text.size());
  InputKind kind = InputKind::kWrong;
  if (call_method("check", 1, 2)) {
    kind = kind_named(lua_tostring(state_, -2));
    depth = static_cast<int>(lua_tointeger(state_, -1));
  }
  lua_settop(state_, 0);
  return kind;
}

bool Session::run(std::string& note) {
  const bool succeeded = call(state_, 0, LUA_MULTRET);
  const int count = succeeded ? lua_gettop(state_) : 0;
  if (!lua_checkstack(state_, LUA_MINSTACK)) return succeeded;
  if (count > 0)
    lua_pushvalue(state_, 1);
  else
    lua_pushnil(state_);
  const bool hidden = call_method("finish", 1, 2) && lua_toboolean(state_, -1);
  if (const char* text = lua_tostring(state_, -2)) note = text;
  lua_settop(state_, hidden ? 0 : succeeded ? count : 1);
  return succeeded;
}

void Session::push_names(const std::string& text) {
  lua_pushlstring(state_, text.data(), text.size());
  if (!call_method("names_in", 1, 1)) {
    lua_pop(state_, 1);
    lua_pushglobaltable(state_);
  }
}

void Session::push_methods(bool wanted) {
  if (wanted && call_method("methods", 0, 1)) return;
  if (wanted) lua_pop(state_, 1);
  lua_pushnil(state_);
}

std::optional<std::string> Session::explain(const std::string& text, size_t position) {
  lua_pushlstring(state_, text.data(), text.size());
  lua_pushinteger(state_, static_cast<lua_Integer>(position));
  std::optional<std::string> found;
  if (call_method("explain", 2, 1) && lua_isstring(state_, -1)) found = lua_tostring(state_, -1);
  lua_settop(state_, 0);
  return found;
}

std::vector<Input> Session::inputs() {
  std::vector<Input> inputs;
  if (call_method("list_inputs", 0, 1)) {
    const auto count = static_cast<lua_Integer>(lua_rawlen(state_, -1));
    for (lua_Integer i = 1; i <= count; ++i) {
      lua_geti(state_, 1, i);
      lua_getfield(state_, -1, "number");
      lua_getfield(state_, -2, "text");
      inputs.push_back({static_cast<int>(lua_tointeger(state_, -2)), lua_tostring(state_, -1)});
      lua_pop(state_, 3);
    }
  }
  lua_settop(state_, 0);
  return inputs;
}

void Session::push_candidates(const std::string& text) {
  lua_pushlstring(state_, text.data(), text.size());
  if (call_method("candidates", 1, 1)) return;
  lua_pop(state_, 1);
  lua_pushnil(state_);
}

/// Pops a value; returns it if it is a string.
std::string Session::take_text(const std::string& otherwise) {
  size_t size = 0;
  const char* text = lua_tolstring(state_, -1, &size);
  std::string result = text ? std::string(text, size) : otherwise;
  lua_pop(state_, 1);
  return result;
}

std::string Session::decorate(const std::string& text, size_t point, std::string& hint) {
  lua_pushlstring(state_, text.data(), text.size());
  lua_pushinteger(state_, static_cast<lua_Integer>(point));
  if (!call_method("decorate", 2, 2)) {
    lua_pop(state_, 1);
    return text;
  }
  hint = take_text("");
  return take_text(text);
}

std::string Session::paint(const std::string& text) {
  lua_pushlstring(state_, text.data(), text.size());
  if (call_method("paint", 1, 1)) return take_text(text);
  lua_pop(state_, 1);
  return text;
}

}  // namespace tide
