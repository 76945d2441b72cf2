// Waiting of threads for each other.
#pragma once

#include <chrono>
#include <condition_variable>
#include <limits>
#include <lua5.4/lua.hpp>
#include <mutex>

namespace tide::bindings {

/// Throws Error if scripts may have no further threads (tide_forbid_threads).
void check_may_have_threads(const char* function);

/// A timeout that never comes.
inline constexpr double kForever = std::numeric_limits<double>::infinity();

/// The timeout in seconds that a script gave at `index`; kForever for none or nil. Throws an error
/// in the name of `function` for what is no number, for negative numbers and for nan.
double timeout_at(lua_State* L, int index, const char* function);

/// Throws Interrupted if the program is interrupted, and Error("cancelled") if the thread is
/// cancelled.
void check_interrupt();

/// Waits until `condition` holds, up to so many seconds; whether it does. Throws as
/// check_interrupt.
template <class Condition>
bool wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                double seconds, const Condition& condition) {
  using Seconds = std::chrono::duration<double>;
  // A signal handler, which may notify nobody, asks for an interrupt.
  constexpr Seconds kLook(0.02);
  const auto start = std::chrono::steady_clock::now();
  while (!condition()) {
    check_interrupt();
    const Seconds left = Seconds(seconds) - (std::chrono::steady_clock::now() - start);
    if (left.count() <= 0) return false;
    changed.wait_for(lock, left < kLook ? left : kLook);
  }
  return true;
}

}  // namespace tide::bindings
