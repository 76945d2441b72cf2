// tide.thread and tide.process: functions on other threads and in other processes.
#include <string>
#include <utility>

#include "bindings/support/arguments.h"
#include "bindings/threads/functions.h"
#include "bindings/threads/process.h"
#include "bindings/threads/waiting.h"
#include "bindings/threads/worker.h"

namespace tide::bindings {
namespace {

Job& job_at(lua_State* L, const char* function) {
  return *check<std::shared_ptr<Job>>(L, 1, function);
}

std::string package_field(lua_State* L, const char* name) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, LUA_LOADLIBNAME);
  lua_getfield(L, -1, name);
  std::string value = lua_isstring(L, -1) ? lua_tostring(L, -1) : "";
  lua_pop(L, 3);
  return value;
}

/// The call of the function at index 1 with its arguments.
JobCall call_at(lua_State* L, const char* word) {
  check_may_have_threads(word);
  if (!lua_isfunction(L, 1)) throw_expected(L, 1, word, "a function");
  const int count = lua_gettop(L);
  Packer packer(L, word, word);
  packer.add_globals();
  packer.add(1, "the function");
  for (int i = 2; i <= count; ++i) packer.add(i, "argument " + std::to_string(i - 1));
  return {package_field(L, "path"), package_field(L, "cpath"), packer.take()};
}

int new_thread(lua_State* L) {
  push_object<std::shared_ptr<Job>>(L, Worker::start(call_at(L, "thread")));
  return 1;
}

int new_process(lua_State* L) {
  push_object<std::shared_ptr<Job>>(L, Process::start(call_at(L, "process")));
  return 1;
}

int job_join(lua_State* L) {
  Job& job = job_at(L, "join");
  job.wait(kForever);
  if (!job.results()) throw Error(std::string(job.word()) + ": " + job.error());
  return job.results()->unpack(L);
}

int job_wait(lua_State* L) {
  lua_pushboolean(L, job_at(L, "wait").wait(timeout_at(L, 2, "wait")));
  return 1;
}

int job_done(lua_State* L) {
  lua_pushboolean(L, job_at(L, "done").done());
  return 1;
}

int job_cancel(lua_State* L) {
  job_at(L, "cancel").cancel();
  return 0;
}

int job_close(lua_State* L) {
  Job& job = job_at(L, "close");
  job.cancel();
  job.wait(kForever);
  return 0;
}

int job_text(lua_State* L) {
  const Job& job = job_at(L, "tostring");
  lua_pushstring(L, (job.name() + (job.done() ? ", done" : ", running")).c_str());
  return 1;
}

constexpr Function kThreadFunctions[] = {
    {"thread", guard<new_thread>, "fn, ...",
     "Calls fn on a new thread with its own Lua state. Values are copied, tensors share their "
     "elements until one is written to, and functions are sent with their upvalues; files, "
     "coroutines and C functions cannot be sent",
     "tide.thread(function(a, b) return a + b end, 1, 2):join() --> 3"},
    {"process", guard<new_process>, "fn, ...",
     "Calls fn in a new process, which may crash or be killed separately and has its own memory on "
     "each device. Values, including tensors, are copied; channels connect the two processes. The "
     "new process ends when this one ends for any reason",
     "tide.process(function(x) return x:sum() end, tide.ones(3)):join():item() --> 3.0"},
};

constexpr Function kThreadMethods[] = {
    {"join", guard<job_join>, "",
     "Waits for the function to end and returns its results or raises its error",
     "tide.thread(function() return \"a\", \"b\" end):join() --> \"a\", \"b\""},
    {"wait", guard<job_wait>, "timeout?",
     "Waits up to timeout seconds for the function to end; returns whether it has ended",
     "tide.thread(function() end):wait() --> true"},
    {"done", guard<job_done>, "", "Whether the function has ended",
     "local t = tide.thread(function() end); t:wait(); t:done() --> true"},
    {"cancel", guard<job_cancel>, "", "Stops the function with the error \"cancelled\"",
     "local t = tide.thread(function() while true do end end); t:cancel(); (pcall(t.join, "
     "t)) --> false"},
};

}  // namespace

std::span<const Function> thread_functions() { return kThreadFunctions; }
std::span<const Function> thread_methods() { return kThreadMethods; }

void open_thread_class(lua_State* L) {
  const luaL_Reg metamethods[] = {
      {"__tostring", guard<job_text>}, {"__close", guard<job_close>}, {nullptr, nullptr}};
  open_class<std::shared_ptr<Job>>(L, metamethods, kThreadMethods, "job");
}

}  // namespace tide::bindings
