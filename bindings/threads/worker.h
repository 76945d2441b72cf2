// A thread with a Lua state of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <lua5.4/lua.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "bindings/support/object.h"
#include "bindings/threads/parcel.h"

namespace tide::bindings {

/// What a worker is to do.
struct WorkerCall {
  std::string path, c_path;  ///< package.path and package.cpath
  Parcel values;  ///< global variables, why others are missing, the function, its arguments
};

/// Runs a function on a thread of its own, in a Lua state of its own. It ends with the last owner,
/// or with the thread that started it if that is earlier.
class Worker {
 public:
  /// Throws Error if there can be no further thread.
  static std::shared_ptr<Worker> start(WorkerCall call);
  /// Cancels the function, and waits for its end.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Waits up to so many seconds for the end of the function; whether it has ended. Throws as
  /// wait_until does.
  bool wait(double seconds);
  bool done() const { return done_.load(std::memory_order_acquire); }
  /// Stops the function by the error "cancelled", in Lua code or where it waits for a channel or a
  /// thread.
  void cancel() { cancelled_ = true; }
  /// Once it is done: what it returned; none if it raised `error`.
  const std::optional<Parcel>& results() const { return results_; }
  const std::string& error() const { return error_; }
  /// Waits for the end of the thread, whatever interrupts.
  void wait_for_end();

 private:
  Worker() = default;
  void run(const WorkerCall& call);

  std::thread thread_;
  std::mutex join_mutex_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> cancelled_{false}, done_{false};
  std::optional<Parcel> results_;
  std::string error_;
};

template <>
inline constexpr ClassInfo kClass<std::shared_ptr<Worker>>{"tide.Thread"};

}  // namespace tide::bindings
