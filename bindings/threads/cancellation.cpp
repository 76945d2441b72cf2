// The signal, its handler, and tracking of the running coroutine.
#include "bindings/threads/cancellation.h"

#include <signal.h>

#include "bindings/module.h"

namespace tide::bindings {

constinit thread_local Cancellation* cancellation = nullptr;

namespace {

constexpr int kSignal = SIGURG;  // ignored by default
constexpr int kLook = 1000;      ///< instructions between two errors, so that handlers can run

/// The coroutine running in this thread; null outside Cancellable.
constinit thread_local std::atomic<lua_State*> running{nullptr};
/// Whether every resume of a coroutine goes through tide_resume.
bool follows_coroutines = false;

void raise_cancelled(lua_State* L, lua_Debug*) {
  if (cancellation && cancellation->asked()) luaL_error(L, "cancelled");
}

void arm(lua_State* L) { lua_sethook(L, raise_cancelled, LUA_MASKCOUNT, kLook); }

/// Calls only async-signal-safe functions; lua_sethook is documented as one.
void on_signal(int) {
  if (lua_State* const L = running) arm(L);
}

void catch_signal() {
  static const bool caught = [] {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    return sigaction(kSignal, &action, nullptr) == 0;
  }();
  static_cast<void>(caught);
}

}  // namespace

void Cancellation::ask() {
  asked_ = true;
  if (runs_) pthread_kill(thread_, kSignal);
}

Cancellable::Cancellable(lua_State* L) : state_(L) {
  if (!cancellation) return;
  catch_signal();
  running = L;
  cancellation->thread_ = pthread_self();
  cancellation->runs_ = true;
  // An earlier request sent no signal. If coroutines are not tracked, the hook must be set before
  // they are created, so that they inherit it.
  if (cancellation->asked() || !follows_coroutines) arm(L);
}

Cancellable::~Cancellable() {
  if (!cancellation) return;
  cancellation->runs_ = false;
  running = nullptr;
  lua_sethook(state_, nullptr, 0, 0);
}

}  // namespace tide::bindings

void tide_follow_coroutines() { tide::bindings::follows_coroutines = true; }

int tide_resume(tide_resume_function resume, lua_State* L, lua_State* from, int arguments,
                int* results) {
  using namespace tide::bindings;
  lua_State* const outer = running;
  if (!outer) return resume(L, from, arguments, results);
  running = L;
  if (cancellation->asked()) arm(L);
  const int status = resume(L, from, arguments, results);
  running = outer;
  // The coroutine may have caught the error; its resumer must stop too.
  if (cancellation->asked()) arm(outer);
  return status;
}
