// A thread with its own Lua state.
#pragma once

#include <memory>
#include <mutex>
#include <thread>

#include "bindings/threads/cancellation.h"
#include "bindings/threads/job.h"

namespace tide::bindings {

/// Runs a function on a new thread with a new Lua state. It ends when the last owner is destroyed,
/// or with the thread that started it if that is earlier.
class Worker final : public Job {
 public:
  /// Throws Error if no thread can be started.
  static std::shared_ptr<Worker> start(JobCall call);
  /// Cancels the function and waits for it to end.
  ~Worker() override;

  const char* word() const override { return "thread"; }
  void cancel() override { cancellation_.ask(); }
  /// Waits for the end of the thread; cannot be interrupted.
  void wait_for_end();

 private:
  Worker() = default;
  void run(const JobCall& call);

  std::thread thread_;
  std::mutex join_mutex_;
  Cancellation cancellation_;
};

}  // namespace tide::bindings
