// A signal sets a Lua hook. Hooks are per coroutine, so the running one is tracked: the linker
// redirects every lua_resume of the program to this file (-Wl,--wrap=lua_resume).
#include "interpreter/run/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "bindings/module.h"

extern "C" int __real_lua_resume(lua_State* L, lua_State* from, int arguments, int* results);

namespace tide {
namespace {

// After the first error, handlers (pcall, __close) may run this many instructions to clean up;
// after that every instruction raises, so that a loop around pcall ends as well.
constexpr int kGraceInstructions = 1'000'000;
// The instructions between the call that opens a scope and its to-be-closed variable.
constexpr int kOpeningInstructions = 4;
constexpr char kInterrupted[] = "interrupted";  // the runtime uses the same text

pthread_t lua_thread;
Impatience impatience_of_user;
std::atomic<lua_State*> running{nullptr};  ///< the running coroutine; null outside Interruptible
std::atomic<int> presses{0};               ///< of Ctrl-C since the current code started
std::atomic<const char*> final_reason{nullptr};  ///< of stop_for_good
int errors_raised = 0;

bool stopping() { return presses > 0 || final_reason; }

void stop_script(lua_State* L, lua_Debug* where) {
  if (!stopping()) {  // A coroutine that was suspended during an earlier interrupt.
    lua_sethook(L, nullptr, 0, 0);
    return;
  }
  if (tide_has_opened()) {
    lua_sethook(L, stop_script, LUA_MASKCOUNT, kOpeningInstructions);
    return;
  }
  lua_sethook(L, stop_script, LUA_MASKCOUNT, errors_raised++ == 0 ? kGraceInstructions : 1);
  lua_getinfo(L, "Sl", where);
  lua_pushfstring(L, "%s:%d: %s", where->short_src, where->currentline, stop_reason());
  lua_error(L);
}

/// Asks the running code, if any, to stop; safe in a signal handler.
void ask_to_stop() {
  lua_State* L = running;
  if (!L) return;
  lua_sethook(L, stop_script, LUA_MASKCOUNT, 1);
  tide_request_interrupt();
}

void write_to_terminal(const char* text, size_t size) {
  [[maybe_unused]] auto written = write(STDERR_FILENO, text, size);
}

/// Reports the wait that is being stopped, on a new line after the terminal's ^C.
void report_stop() {
  write_to_terminal("\n", 1);
  const char* const reason = tide_present_wait();
  if (!reason) return;
  static constexpr char kBegin[] = "stopping a wait for a device (", kEnd[] = ")\n";
  write_to_terminal(kBegin, sizeof kBegin - 1);
  write_to_terminal(reason, std::strlen(reason));
  write_to_terminal(kEnd, sizeof kEnd - 1);
}

/// Calls only async-signal-safe functions; lua_sethook is documented as one.
void on_signal(int signal_number) {
  if (!pthread_equal(pthread_self(), lua_thread)) {
    pthread_kill(lua_thread, signal_number);
    return;
  }
  lua_State* L = running;
  if (L && tide_hold_interrupt()) {
    static constexpr char kNotice[] =
        "\nstopping after this step; press Ctrl-C again to stop now\n";
    write_to_terminal(kNotice, sizeof kNotice - 1);
    return;
  }
  const int press = ++presses;
  if (!L) return;
  if (press == 1 || impatience_of_user == Impatience::kNone) {
    if (impatience_of_user == Impatience::kWarnFirst) report_stop();
    ask_to_stop();
  } else if (press == 2 && impatience_of_user == Impatience::kWarnFirst) {
    static constexpr char kWarning[] = "\ninside a C function; press Ctrl-C again to end tide\n";
    write_to_terminal(kWarning, sizeof kWarning - 1);
  } else {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
}

void on_final_signal(int) { ask_to_stop(); }

}  // namespace

void stop_for_good(const char* reason) {
  final_reason = reason;
  struct sigaction action = {};
  action.sa_handler = on_final_signal;  // without SA_RESTART, as below
  sigemptyset(&action.sa_mask);
  sigaction(SIGALRM, &action, nullptr);
  pthread_kill(lua_thread, SIGALRM);
}

bool stopped_for_good() { return final_reason; }

const char* stop_reason() {
  const char* const reason = final_reason;
  return reason ? reason : kInterrupted;
}

void catch_interrupts(Impatience impatience) {
  lua_thread = pthread_self();
  impatience_of_user = impatience;
  struct sigaction action = {};
  action.sa_handler = on_signal;  // without SA_RESTART: reading a line must return
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

bool take_interrupt() { return presses.exchange(0) > 0; }

bool is_interrupted() { return stopping(); }

Interruptible::Interruptible(lua_State* L, std::string& report) : state_(L), report_(report) {
  presses = 0;
  errors_raised = 0;
  tide_forget_held_interrupts();
  running = L;
  if (final_reason) ask_to_stop();
}

bool Interruptible::asked() const { return stopping(); }

Interruptible::~Interruptible() {
  running = nullptr;
  if (presses.exchange(0) == 0 && !final_reason) return;
  lua_sethook(state_, nullptr, 0, 0);
  report_ = tide_interrupt(state_);
}

}  // namespace tide

/// Like lua_resume, but tracks the running coroutine.
extern "C" int __wrap_lua_resume(lua_State* L, lua_State* from, int arguments, int* results) {
  using tide::running;
  lua_State* outer = running;
  if (!outer || !pthread_equal(pthread_self(), tide::lua_thread)) {
    return tide_resume(__real_lua_resume, L, from, arguments, results);
  }
  running = L;
  const int status = __real_lua_resume(L, from, arguments, results);
  running = outer;
  // The coroutine may have caught the error; stop the code that resumed it as well.
  if (tide::stopping()) lua_sethook(outer, tide::stop_script, LUA_MASKCOUNT, 1);
  return status;
}
