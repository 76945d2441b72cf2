// Keeps the modes of each coroutine and puts them in force when it calls.
#include "bindings/modes/modes.h"

#include <string>

#include "runtime/graph/engine.h"
#include "runtime/ops/autograd.h"

namespace tide::bindings {
namespace {

/// Registry key of the table that has the modes of coroutines that set any.
const char kModesTable = 0;

/// What holds where nothing was set.
Modes base_modes() {
  static const bool eager = engine::eager();  // TIDE_EAGER
  return {true, eager};
}

/// The modes of L, or null. Leaves the stack as it is.
Modes* find_modes(lua_State* L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kModesTable);
  lua_pushthread(L);
  lua_rawget(L, -2);
  auto* modes = static_cast<Modes*>(lua_touserdata(L, -1));
  lua_pop(L, 2);
  return modes;
}

/// The modes of L, from now on its own.
Modes& own_modes(lua_State* L) {
  if (Modes* modes = find_modes(L)) return *modes;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kModesTable);
  lua_pushthread(L);
  auto* modes = static_cast<Modes*>(lua_newuserdatauv(L, sizeof(Modes), 0));
  *modes = base_modes();
  lua_rawset(L, -3);
  lua_pop(L, 1);
  return *modes;
}

void put_in_force(const Modes& modes) {
  GradientMode::set(modes.gradients);
  engine::set_eager(modes.eager);
}

/// Sets a mode of L and returns what it was.
bool set_mode(lua_State* L, bool Modes::*mode, bool value) {
  Modes& modes = own_modes(L);
  const bool previous = modes.*mode;
  modes.*mode = value;
  put_in_force(modes);
  thread_context.settled = lua_pushthread(L) ? L : nullptr;  // as settle_modes has it
  lua_pop(L, 1);
  return previous;
}

int scope_close(lua_State* L) {
  auto& scope = check<Scope>(L, 1, "close");
  if (!scope.open) return 0;
  if (scope.owner != L) throw Error("close: this scope was opened by another coroutine");
  scope.open = false;
  set_mode(L, scope.mode, scope.previous);
  return 0;
}

/// After the function given to a scope: its results are what is above the scope.
int finish_scope(lua_State* L, int, lua_KContext) { return lua_gettop(L) - 1; }

bool can_be_called(lua_State* L, int index) {
  if (lua_isfunction(L, index)) return true;
  if (luaL_getmetafield(L, index, "__call") == LUA_TNIL) return false;
  lua_pop(L, 1);
  return true;
}

/// Opens a scope in which `mode` has this value. With a function as first argument: calls it with
/// the others in that scope. Errors and yields pass through, as the scope is a to-be-closed value.
int open_scope(lua_State* L, const char* name, bool Modes::*mode, bool value) {
  const int arguments = lua_gettop(L);
  const bool calls = arguments > 0 && !lua_isnil(L, 1);
  if (calls && !can_be_called(L, 1))
    throw ArgumentError(std::string(name) + ": argument 1 (fn): expected function, got " +
                        type_name(L, 1));
  push_object(L, Scope{L, mode, false, false});
  auto& scope = check<Scope>(L, -1, "scope");
  scope.previous = set_mode(L, mode, value);
  scope.open = true;
  if (!calls) return 1;
  lua_insert(L, 1);
  lua_toclose(L, 1);
  lua_callk(L, arguments - 1, LUA_MULTRET, 0, finish_scope);
  return finish_scope(L, LUA_OK, 0);
}

int no_grad(lua_State* L) { return open_scope(L, "no_grad", &Modes::gradients, false); }
int enable_grad(lua_State* L) { return open_scope(L, "enable_grad", &Modes::gradients, true); }
int eager(lua_State* L) { return open_scope(L, "eager", &Modes::eager, true); }

int set_grad_enabled(lua_State* L) {
  if (!lua_isboolean(L, 1))
    throw ArgumentError(std::string("set_grad_enabled: argument 1 (on): expected boolean, got ") +
                        type_name(L, 1));
  set_mode(L, &Modes::gradients, lua_toboolean(L, 1));
  return 0;
}

int is_grad_enabled(lua_State* L) {
  lua_pushboolean(L, GradientMode::enabled());
  return 1;
}

constexpr Function kFunctions[] = {
    {"no_grad", guard<no_grad>, "fn?, ...",
     "No gradients in fn, or until the returned value is closed: local _ <close> = tide.no_grad()"},
    {"enable_grad", guard<enable_grad>, "fn?, ...", "Gradients again, inside no_grad"},
    {"eager", guard<eager>, "fn?, ...", "Every op is handed over by itself, for debugging"},
    {"set_grad_enabled", guard<set_grad_enabled>, "on",
     "Switches gradients on or off for this coroutine"},
    {"is_grad_enabled", guard<is_grad_enabled>, "", "Whether results get a history"},
};

}  // namespace

void settle_modes(lua_State* L) {
  if (thread_context.reclaiming)
    throw Error("tide cannot be used by a finalizer that runs while memory is reclaimed");
  const Modes* modes = find_modes(L);
  put_in_force(modes ? *modes : base_modes());
  // Another coroutine may come to lie at the address of a dead one, with no modes of its own. So
  // only the main one, or modes that are the same for both, need not be looked up each time.
  const bool is_main = lua_pushthread(L);
  lua_pop(L, 1);
  thread_context.settled = is_main || !modes ? L : nullptr;
}

std::span<const Function> mode_functions() { return kFunctions; }

void open_modes(lua_State* L) {
  lua_createtable(L, 0, 4);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kModesTable);

  const luaL_Reg metamethods[] = {{"__close", guard<scope_close>}, {nullptr, nullptr}};
  const luaL_Reg methods[] = {{"close", guard<scope_close>}, {nullptr, nullptr}};
  open_class<Scope>(L, metamethods, methods);
  lua_pop(L, 1);
}

}  // namespace tide::bindings
