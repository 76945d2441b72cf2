// tide.thread and tide.process: functions on other threads and in other processes.
#include <memory>
#include <optional>
#include <string>

#include "bindings/ops/typed_function.h"
#include "bindings/threads/functions.h"
#include "bindings/threads/process.h"
#include "bindings/threads/waiting.h"
#include "bindings/threads/worker.h"

namespace tide::bindings {
namespace {

using JobHandle = std::shared_ptr<Job>;

std::string package_field(lua_State* L, const char* name) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, LUA_LOADLIBNAME);
  lua_getfield(L, -1, name);
  std::string value = lua_isstring(L, -1) ? lua_tostring(L, -1) : "";
  lua_pop(L, 3);
  return value;
}

/// The call of a function with its arguments, ready to be sent.
JobCall call_of(lua_State* L, const char* word, Callable fn, Values arguments) {
  check_may_have_threads(word);
  Packer packer(L, word, word);
  packer.add_globals();
  packer.add(fn.index, "the function");
  for (int i = 0; i < arguments.count; ++i)
    packer.add(arguments.first + i, "argument " + std::to_string(i + 1));
  return {package_field(L, "path"), package_field(L, "cpath"), packer.take()};
}

int new_thread(lua_State* L, Callable fn, Values arguments) {
  return push_result(L, JobHandle(Worker::start(call_of(L, "thread", fn, arguments))));
}

int new_process(lua_State* L, Callable fn, Values arguments) {
  return push_result(L, JobHandle(Process::start(call_of(L, "process", fn, arguments))));
}

int job_join(lua_State* L, const JobHandle& job) {
  job->wait(kForever);
  const auto& results = job->results();
  if (!results) throw Error(std::string(job->word()) + ": " + job->error());
  return results->unpack(L);
}

bool job_wait(const JobHandle& job, std::optional<double> timeout) {
  return job->wait(checked_timeout(timeout, "wait"));
}

bool job_done(const JobHandle& job) { return job->done(); }

void job_cancel(const JobHandle& job) { job->cancel(); }

int job_close(lua_State* L) {
  Job& job = *check<JobHandle>(L, 1, "close");
  job.cancel();
  job.wait(kForever);
  return 0;
}

std::string job_text(const JobHandle& job) {
  return job->name() + (job->done() ? ", done" : ", running");
}

constexpr Function kThreadFunctions[] = {
    typed_function<new_thread, "thread", "fn, ...">(
        "Calls fn on a new thread with its own Lua state. Values are copied, tensors share their "
        "elements until one is written to, and functions are sent with their upvalues; files, "
        "coroutines and C functions cannot be sent",
        "tide.thread(function(a, b) return a + b end, 1, 2):join() --> 3"),
    typed_function<new_process, "process", "fn, ...">(
        "Calls fn in a new process, which may crash or be killed separately and has its own memory "
        "on "
        "each device. Values, including tensors, are copied; channels connect the two processes. "
        "The "
        "new process ends when this one ends for any reason",
        "tide.process(function(x) return x:sum() end, tide.ones(3)):join():item() --> 3.0"),
};

constexpr Function kThreadMethods[] = {
    typed_method<job_join, "join", "job">(
        "Waits for the function to end and returns its results or raises its error",
        "tide.thread(function() return \"a\", \"b\" end):join() --> \"a\", \"b\""),
    typed_method<job_wait, "wait", "job, timeout?">(
        "Waits up to timeout seconds for the function to end; returns whether it has ended",
        "tide.thread(function() end):wait() --> true"),
    typed_method<job_done, "done", "job">(
        "Whether the function has ended",
        "local t = tide.thread(function() end); t:wait(); t:done() --> true"),
    typed_method<job_cancel, "cancel", "job">(
        "Stops the function with the error \"cancelled\"",
        "local t = tide.thread(function() while true do end end); t:cancel(); (pcall(t.join, "
        "t)) --> false"),
};

}  // namespace

std::span<const Function> thread_functions() { return kThreadFunctions; }
std::span<const Function> thread_methods() { return kThreadMethods; }

void open_thread_class(lua_State* L) {
  const luaL_Reg metamethods[] = {{"__tostring", guard<typed<job_text, "tostring", "job">>},
                                  {"__close", guard<job_close>},
                                  {nullptr, nullptr}};
  open_class<std::shared_ptr<Job>>(L, metamethods, kThreadMethods, "job");
}

}  // namespace tide::bindings
