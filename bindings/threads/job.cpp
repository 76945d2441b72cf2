// Calls a function in a new state, and waits for its end.
#include "bindings/threads/job.h"

#include <exception>
#include <utility>

#include "bindings/module.h"
#include "bindings/support/entry.h"
#include "bindings/threads/cancellation.h"
#include "bindings/threads/waiting.h"
#include "runtime/record/engine.h"
#include "runtime/types/error.h"

namespace tide::bindings {
namespace {

/// __index of the global table; the upvalue maps names to error messages.
int find_global(lua_State* L) {
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TSTRING) return 0;
  luaL_where(L, 1);
  lua_insert(L, -2);
  lua_concat(L, 2);
  return lua_error(L);
}

/// Sets the globals in the table at `there`, except those the state already has; those at `missing`
/// raise an error when read.
void set_globals(lua_State* L, int there, int missing) {
  lua_pushglobaltable(L);
  for (lua_pushnil(L); lua_next(L, there); lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    const bool has = lua_rawget(L, -4) != LUA_TNIL;
    lua_pop(L, 1);
    if (has) continue;
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -5);
  }
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, missing);
  lua_pushcclosure(L, find_global, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

void set_field(lua_State* L, const char* table, const char* field, const std::string& value) {
  lua_getglobal(L, table);
  lua_pushlstring(L, value.data(), value.size());
  lua_setfield(L, -2, field);
  lua_pop(L, 1);
}

struct Running {
  const JobCall& call;
  const char* word;
  SerializedValues results;
};

/// Calls the function below its arguments, like lua_call.
void call_cancellable(lua_State* L, int arguments) {
  int status;
  {
    const Cancellable cancellable(L);
    status = lua_pcall(L, arguments, LUA_MULTRET, 0);
  }
  if (status != LUA_OK) lua_error(L);
}

int run_call(lua_State* L) {
  auto& running = *static_cast<Running*>(lua_touserdata(L, 1));
  lua_settop(L, 0);
  luaL_requiref(L, "tide", luaopen_tide, true);
  lua_pop(L, 1);
  set_field(L, "package", "path", running.call.path);
  set_field(L, "package", "cpath", running.call.c_path);
  const int count = running.call.values.unpack(L);
  set_globals(L, 1, 2);
  call_cancellable(L, count - 3);
  const int last = lua_gettop(L);
  Packer packer(L, running.word, running.word);
  for (int i = 3; i <= last; ++i) packer.add(i, "result " + std::to_string(i - 2));
  running.results = packer.take();
  engine::flush();
  return 0;
}

}  // namespace

SerializedValues run_job(lua_State* L, const JobCall& call, const char* word) {
  Running running{call, word, {}};
  lua_pushcfunction(L, guard_lookup<run_call>);
  lua_pushlightuserdata(L, &running);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return std::move(running.results);
  size_t size;
  const char* text = luaL_tolstring(L, -1, &size);
  const std::string message(text, size);
  lua_settop(L, 0);
  throw Error(message);
}

bool Job::wait(double seconds) {
  std::unique_lock lock(mutex_);
  return wait_until(lock, changed_, seconds, [&] { return done(); });
}

void Job::end(std::optional<SerializedValues> results, std::string error) {
  const std::lock_guard lock(mutex_);
  results_ = std::move(results);
  error_ = std::move(error);
  done_.store(true, std::memory_order_release);
  changed_.notify_all();
}

}  // namespace tide::bindings
