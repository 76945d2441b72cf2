// A thread with a Lua state of its own.
#include "bindings/threads/worker.h"

#include <exception>
#include <system_error>
#include <vector>

#include "bindings/module.h"
#include "bindings/threads/waiting.h"
#include "runtime/core/error.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

constexpr int kLook = 1000;  ///< instructions between two looks whether the function is cancelled

lua_State* open_plain_state() {
  lua_State* const L = luaL_newstate();
  if (L) luaL_openlibs(L);
  return L;
}

TideStates states{open_plain_state, lua_close};

/// Ends the workers of a thread before what they need goes.
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
  engine::flush();  // the thread's recorder is there: it ends after the workers
  thread_local Started instance;
  return instance;
}

void look(lua_State* L, lua_Debug*) {
  if (cancelled && *cancelled) luaL_error(L, "cancelled");
}

int refuse_exit(lua_State* L) {
  return luaL_error(L, "os.exit: only the script's first thread may end the program");
}

/// __index of the global variables; upvalue: why some are missing.
int find_global(lua_State* L) {
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TSTRING) return 0;
  luaL_where(L, 1);
  lua_insert(L, -2);
  lua_concat(L, 2);
  return lua_error(L);
}

/// Makes the global variables at `there` those of the state, but for those that it has; those at
/// `missing` raise when they are read.
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

/// Arguments: the call, and the place of its results.
int run_call(lua_State* L) {
  const auto& call = *static_cast<const WorkerCall*>(lua_touserdata(L, 1));
  auto& results = *static_cast<std::optional<Parcel>*>(lua_touserdata(L, 2));
  lua_settop(L, 0);
  luaL_requiref(L, "tide", luaopen_tide, true);
  lua_pop(L, 1);
  set_field(L, "package", "path", call.path);
  set_field(L, "package", "cpath", call.c_path);
  lua_getglobal(L, "os");
  lua_pushcfunction(L, refuse_exit);
  lua_setfield(L, -2, "exit");
  lua_pop(L, 1);
  const int count = call.values.unpack(L);
  set_globals(L, 1, 2);
  lua_sethook(L, look, LUA_MASKCOUNT, kLook);
  lua_call(L, count - 3, LUA_MULTRET);
  lua_sethook(L, nullptr, 0, 0);
  const int last = lua_gettop(L);
  Packer packer(L, "thread");
  for (int i = 3; i <= last; ++i) packer.add(i, "result " + std::to_string(i - 2));
  results = packer.take();
  engine::flush();
  return 0;
}

}  // namespace

std::shared_ptr<Worker> Worker::start(WorkerCall call) try {
  std::shared_ptr<Worker> worker(new Worker);
  std::erase_if(started().workers, [](const auto& other) { return other.expired(); });
  started().workers.push_back(worker);
  worker->thread_ = std::thread([&self = *worker, call = std::move(call)] { self.run(call); });
  return worker;
} catch (const std::system_error& error) {
  throw Error(std::string("thread: there can be no further thread: ") + error.code().message());
}

Worker::~Worker() {
  cancel();
  wait_for_end();
}

void Worker::wait_for_end() {
  const std::lock_guard lock(join_mutex_);
  if (thread_.joinable()) thread_.join();
}

bool Worker::wait(double seconds) {
  std::unique_lock lock(mutex_);
  return wait_until(lock, changed_, seconds, [&] { return done(); });
}

void Worker::run(const WorkerCall& call) {
  cancelled = &cancelled_;
  lua_State* L = nullptr;
  try {
    L = states.open();
    if (!L) throw MemoryError("out of memory: no Lua state for another thread");
    lua_pushcfunction(L, guard_lookup<run_call>);
    lua_pushlightuserdata(L, const_cast<WorkerCall*>(&call));
    lua_pushlightuserdata(L, &results_);
    if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
      results_.reset();
      size_t size;
      const char* text = luaL_tolstring(L, -1, &size);
      error_.assign(text, size);
    }
  } catch (const std::exception& error) {
    error_ = error.what();
  }
  if (L) states.close(L);
  const std::lock_guard lock(mutex_);
  done_.store(true, std::memory_order_release);
  changed_.notify_all();
}

}  // namespace tide::bindings

void tide_set_states(const TideStates& given) { tide::bindings::states = given; }
