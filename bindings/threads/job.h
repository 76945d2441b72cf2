// A function of a script that runs on another thread or in another process.
#pragma once

#include <atomic>
#include <condition_variable>
#include <lua5.4/lua.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "bindings/support/object.h"
#include "bindings/threads/serialized_values.h"

namespace tide::bindings {

/// The call of a job.
struct JobCall {
  std::string path, c_path;  ///< package.path and package.cpath
  SerializedValues values;   ///< globals, errors of missing globals, the function, its arguments
};

/// Calls the function in a state with only Lua's libraries loaded, and returns its results. Throws
/// Error with the message of an error it raises.
SerializedValues run_job(lua_State* L, const JobCall& call, const char* word);

/// A function that runs on another thread or in another process, until its last owner is destroyed.
class Job {
 public:
  virtual ~Job() = default;
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// "thread" or "process".
  virtual const char* word() const = 0;
  /// "thread", or "process 4711".
  virtual std::string name() const { return word(); }
  /// Asks the function to stop: raises the error "cancelled" in Lua code and in waits for a channel
  /// or a job.
  virtual void cancel() = 0;

  /// Waits up to `seconds` for the end of the function; returns whether it has ended. Throws like
  /// wait_until.
  bool wait(double seconds);
  bool done() const { return done_.load(std::memory_order_acquire); }
  /// The results, once it is done; none if it raised `error`.
  const std::optional<SerializedValues>& results() const { return results_; }
  const std::string& error() const { return error_; }

 protected:
  /// Records how the function ended. Must be called once.
  void end(std::optional<SerializedValues> results, std::string error = {});

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> done_{false};
  std::optional<SerializedValues> results_;
  std::string error_;
};

template <>
inline constexpr ClassInfo kClass<std::shared_ptr<Job>>{"tide.Thread", "thread or process"};

}  // namespace tide::bindings
