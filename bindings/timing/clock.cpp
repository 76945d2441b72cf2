// Clocks. Functions that end a measurement wait for queued work first.
#include <cmath>
#include <cstdio>
#include <ctime>

#include "bindings/ops/typed_function.h"
#include "bindings/timing/functions.h"
#include "runtime/ops/checks.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

thread_local double tic_time = -1;

double time_now() {
  engine::flush();
  return engine::seconds();
}

void sleep_for(double seconds) {
  check_between("sleep", "seconds", seconds, 0, 1e9);
  engine::flush();
  timespec length{};
  length.tv_sec = static_cast<time_t>(seconds);
  length.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
  nanosleep(&length,
            nullptr);  // Ctrl-C ends it early; the interpreter's hook then raises the error
}

void tic() {
  engine::synchronize("tic");
  tic_time = engine::seconds();
}

double toc() {
  if (tic_time < 0) throw Error("toc: call tic first");
  engine::synchronize("toc");
  const double seconds = engine::seconds() - tic_time;
  printf("%.3f ms\n", seconds * 1e3);
  return seconds;
}

constexpr Function kClockFunctions[] = {
    typed_function<time_now, "time", "">(
        "Seconds on a monotonic clock; never waits",
        "local start = tide.time(); tide.time() >= start --> true"),
    typed_function<sleep_for, "sleep", "seconds">(
        "Pauses the script; queued work continues",
        "local start = tide.time(); tide.sleep(0.01); tide.time() - start >= 0.01 --> true"),
    typed_function<tic, "tic", "">("Waits for queued work and starts a stopwatch",
                                   "tide.tic(); tide.toc() >= 0 --> true"),
    typed_function<toc, "toc", "">(
        "Waits for queued work, prints the time since tic, returns seconds",
        "tide.tic(); tide.toc() >= 0 --> true"),
};

}  // namespace

std::span<const Function> clock_functions() { return kClockFunctions; }

}  // namespace tide::bindings
