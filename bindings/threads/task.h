// A function of a script that runs elsewhere: on another thread, or in another process.
#pragma once

#include <atomic>
#include <condition_variable>
#include <lua5.4/lua.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "bindings/support/object.h"
#include "bindings/threads/parcel.h"

namespace tide::bindings {

/// What a task is to do.
struct TaskCall {
  std::string path, c_path;  ///< package.path and package.cpath
  Parcel values;  ///< global variables, why others are missing, the function, its arguments
};

/// Calls the function in a state in which nothing but Lua's libraries was loaded; what it returned.
/// Throws Error with the text of what it raised.
Parcel run_task(lua_State* L, const TaskCall& call, const char* word);

/// A function that runs elsewhere. It ends with its last owner.
class Task {
 public:
  virtual ~Task() = default;
  Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  /// "thread" or "process".
  virtual const char* word() const = 0;
  /// "thread", or "process 4711".
  virtual std::string name() const { return word(); }
  /// Asks the function to stop: by the error "cancelled", in Lua code or where it waits for a
  /// channel or a task.
  virtual void cancel() = 0;

  /// Waits up to so many seconds for the end of the function; whether it has ended. Throws as
  /// wait_until does.
  bool wait(double seconds);
  bool done() const { return done_.load(std::memory_order_acquire); }
  /// Once it is done: what it returned; none if it raised `error`.
  const std::optional<Parcel>& results() const { return results_; }
  const std::string& error() const { return error_; }

 protected:
  /// Notes how the function ended; to be called once.
  void end(std::optional<Parcel> results, std::string error = {});

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> done_{false};
  std::optional<Parcel> results_;
  std::string error_;
};

template <>
inline constexpr ClassInfo kClass<std::shared_ptr<Task>>{"tide.Thread", "thread or process"};

}  // namespace tide::bindings
