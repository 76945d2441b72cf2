// A thread with a Lua state of its own.
#pragma once

#include <memory>
#include <mutex>
#include <thread>

#include "bindings/threads/cancellation.h"
#include "bindings/threads/task.h"

namespace tide::bindings {

/// Runs a function on a thread of its own, in a Lua state of its own. It ends with the last owner,
/// or with the thread that started it if that is earlier.
class Worker final : public Task {
 public:
  /// Throws Error if there can be no further thread.
  static std::shared_ptr<Worker> start(TaskCall call);
  /// Cancels the function, and waits for its end.
  ~Worker() override;

  const char* word() const override { return "thread"; }
  void cancel() override { cancellation_.ask(); }
  /// Waits for the end of the thread, whatever interrupts.
  void wait_for_end();

 private:
  Worker() = default;
  void run(const TaskCall& call);

  std::thread thread_;
  std::mutex join_mutex_;
  Cancellation cancellation_;
};

}  // namespace tide::bindings
