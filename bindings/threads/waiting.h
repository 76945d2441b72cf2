// Interruptible waits between threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>

namespace tide::bindings {

/// Throws Error if scripts may not start threads (tide_forbid_threads).
void check_may_have_threads(const char* function);

/// A timeout that never expires.
inline constexpr double kForever = std::numeric_limits<double>::infinity();

/// The timeout in seconds; kForever for none. Throws an error of `function` for a negative one or
/// nan.
double checked_timeout(std::optional<double> seconds, const char* function);

/// Throws Interrupted if the program is interrupted, and Error("cancelled") if the thread is
/// cancelled.
void check_interrupt();

/// Waits up to `seconds` until `condition` holds; returns whether it does. Throws like
/// check_interrupt.
template <class Condition>
bool wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                double seconds, const Condition& condition) {
  using Seconds = std::chrono::duration<double>;
  // Polls, because a signal handler cannot notify a condition variable.
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
