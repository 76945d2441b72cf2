// tide.thread: functions on threads of their own.
#include <string>
#include <utility>

#include "bindings/support/arguments.h"
#include "bindings/threads/functions.h"
#include "bindings/threads/waiting.h"
#include "bindings/threads/worker.h"

namespace tide::bindings {
namespace {

Worker& worker_at(lua_State* L, const char* function) {
  return *check<std::shared_ptr<Worker>>(L, 1, function);
}

std::string package_field(lua_State* L, const char* name) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, LUA_LOADLIBNAME);
  lua_getfield(L, -1, name);
  std::string value = lua_isstring(L, -1) ? lua_tostring(L, -1) : "";
  lua_pop(L, 3);
  return value;
}

int new_thread(lua_State* L) {
  check_may_have_threads("thread");
  if (!lua_isfunction(L, 1)) throw_expected(L, 1, "thread", "a function");
  const int count = lua_gettop(L);
  Packer packer(L, "thread");
  packer.add_globals();
  packer.add(1, "the function");
  for (int i = 2; i <= count; ++i) packer.add(i, "argument " + std::to_string(i - 1));
  push_object(L,
              Worker::start({package_field(L, "path"), package_field(L, "cpath"), packer.take()}));
  return 1;
}

int thread_join(lua_State* L) {
  Worker& worker = worker_at(L, "join");
  worker.wait(kForever);
  if (!worker.results()) throw Error("thread: " + worker.error());
  return worker.results()->unpack(L);
}

int thread_wait(lua_State* L) {
  lua_pushboolean(L, worker_at(L, "wait").wait(timeout_at(L, 2, "wait")));
  return 1;
}

int thread_done(lua_State* L) {
  lua_pushboolean(L, worker_at(L, "done").done());
  return 1;
}

int thread_cancel(lua_State* L) {
  worker_at(L, "cancel").cancel();
  return 0;
}

int thread_close(lua_State* L) {
  Worker& worker = worker_at(L, "close");
  worker.cancel();
  worker.wait(kForever);
  return 0;
}

int thread_text(lua_State* L) {
  lua_pushstring(L, worker_at(L, "tostring").done() ? "thread, done" : "thread, running");
  return 1;
}

constexpr Function kFunctions[] = {
    {"thread", guard<new_thread>, "fn, ...",
     "Calls fn on a thread of its own, which has a Lua state of its own. Values are copied on "
     "their "
     "way, tensors share their elements until one is written to, and functions go with the "
     "variables that they use; files, coroutines and functions written in C cannot go",
     "tide.thread(function(a, b) return a + b end, 1, 2):join() --> 3"},
};

constexpr Function kMethods[] = {
    {"join", guard<thread_join>, "", "Waits for the end of the function; its results, or its error",
     "tide.thread(function() return \"a\", \"b\" end):join() --> \"a\", \"b\""},
    {"wait", guard<thread_wait>, "timeout?",
     "Waits for the end of the function, up to so many seconds; whether it has ended",
     "tide.thread(function() end):wait() --> true"},
    {"done", guard<thread_done>, "", "Whether the function has ended",
     "local t = tide.thread(function() end); t:wait(); t:done() --> true"},
    {"cancel", guard<thread_cancel>, "", "Stops the function by the error \"cancelled\"",
     "local t = tide.thread(function() while true do end end); t:cancel(); (pcall(t.join, "
     "t)) --> false"},
};

}  // namespace

std::span<const Function> thread_functions() { return kFunctions; }
std::span<const Function> thread_methods() { return kMethods; }

void open_thread_class(lua_State* L) {
  const luaL_Reg metamethods[] = {
      {"__tostring", guard<thread_text>}, {"__close", guard<thread_close>}, {nullptr, nullptr}};
  const luaL_Reg none[] = {{nullptr, nullptr}};
  open_class<std::shared_ptr<Worker>>(L, metamethods, none);
  lua_getfield(L, -1, "__index");
  register_functions(L, kMethods);
  lua_pop(L, 2);
}

}  // namespace tide::bindings
