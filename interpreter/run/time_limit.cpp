// A thread that first interrupts the script and then ends the process.
#include "interpreter/run/time_limit.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "bindings/module.h"
#include "interpreter/run/interrupt.h"
#include "interpreter/version.h"

namespace tide {
namespace {

constexpr auto kGrace = std::chrono::seconds(2);

/// The time allowed for writing to standard error, which may be a full pipe without a reader.
constexpr auto kWriteTime = std::chrono::milliseconds(100);

[[noreturn]] void end_process(const char* reason) {
  tide_remove_scratch();
  std::thread([text = std::string(program_name) + ": " + reason +
                      "; the script did not stop, so the process was ended\n"] {
    // Avoids stdio, because the script may hold its locks.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
    _exit(kTimeLimitStatus);
  }).detach();
  std::this_thread::sleep_for(kWriteTime);
  _exit(kTimeLimitStatus);
}

void watch(std::chrono::steady_clock::time_point deadline, const char* reason) {
  std::this_thread::sleep_until(deadline);
  stop_for_good(reason);
  std::this_thread::sleep_until(deadline + kGrace);
  end_process(reason);
}

}  // namespace

void limit_time(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "time limit of %g s reached", seconds);
  static const std::string reason = text;
  const auto length = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds));
  const auto deadline = std::chrono::steady_clock::now() + length;
  // Signals must be delivered to the script's thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(watch, deadline, reason.c_str()).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace tide
