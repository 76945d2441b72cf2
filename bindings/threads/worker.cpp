// Threads that each run a job.
#include "bindings/threads/worker.h"

#include <exception>
#include <system_error>
#include <utility>
#include <vector>

#include "bindings/module.h"
#include "runtime/record/engine.h"
#include "runtime/types/error.h"

namespace tide::bindings {
namespace {

lua_State* open_plain_state() {
  lua_State* const L = luaL_newstate();
  if (L) luaL_openlibs(L);
  return L;
}

TideStates states{open_plain_state, lua_close};

/// Ends the workers of a thread before anything they use is destroyed.
struct Started {
  std::vector<std::weak_ptr<Worker>> workers;
  ~Started() {
    for (const auto& worker : workers)
      if (const auto running = worker.lock()) running->cancel();
    for (const auto& worker : workers)
      if (const auto running = worker.lock()) running->wait_for_end();
  }
};

Started& started() {
  engine::flush();  // creates the thread's recorder first, so that it is destroyed after the
                    // workers
  thread_local Started instance;
  return instance;
}

int refuse_exit(lua_State* L) {
  return luaL_error(L, "os.exit: only the script's first thread may end the program");
}

int forbid_exit(lua_State* L) {
  lua_getglobal(L, "os");
  lua_pushcfunction(L, refuse_exit);
  lua_setfield(L, -2, "exit");
  return 0;
}

}  // namespace

std::shared_ptr<Worker> Worker::start(JobCall call) try {
  std::shared_ptr<Worker> worker(new Worker);
  std::erase_if(started().workers, [](const auto& other) { return other.expired(); });
  started().workers.push_back(worker);
  worker->thread_ = std::thread([&self = *worker, call = std::move(call)] { self.run(call); });
  return worker;
} catch (const std::system_error& error) {
  throw Error(std::string("thread: cannot start a thread: ") + error.code().message());
}

Worker::~Worker() {
  cancel();
  wait_for_end();
}

void Worker::wait_for_end() {
  const std::lock_guard lock(join_mutex_);
  if (thread_.joinable()) thread_.join();
}

void Worker::run(const JobCall& call) {
  cancellation = &cancellation_;
  lua_State* L = nullptr;
  std::optional<SerializedValues> results;
  std::string error;
  try {
    L = states.open();
    if (!L) throw MemoryError("out of memory: no Lua state for another thread");
    lua_pushcfunction(L, forbid_exit);
    if (lua_pcall(L, 0, 0, 0) != LUA_OK) throw MemoryError("out of memory: no Lua state");
    results = run_job(L, call, word());
  } catch (const std::exception& failure) {
    error = failure.what();
  }
  if (L) states.close(L);
  end(std::move(results), std::move(error));
}

}  // namespace tide::bindings

void tide_set_states(const TideStates& given) { tide::bindings::states = given; }
