// A function of a script in a separate process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <variant>

#include "bindings/threads/connection.h"
#include "bindings/threads/job.h"

namespace tide::bindings {

/// Runs a function in a new process of this program; it is done when the process has ended. The
/// process ends when the last owner is destroyed or the process that started it ends for any
/// reason.
class Process final : public Job {
 public:
  /// Throws Error if this program cannot start processes, and ArgumentError for a value that cannot
  /// be sent.
  static std::shared_ptr<Process> start(const JobCall& call);
  /// Cancels the function, waits a moment for its end, then kills the process.
  ~Process() override;

  const char* word() const override { return "process"; }
  std::string name() const override { return "process " + std::to_string(id_); }
  void cancel() override { connection_->send(Message::cancel, {}); }

 private:
  Process() = default;
  void receive(Message message, ByteReader body);
  void reap();

  pid_t id_ = 0;
  std::shared_ptr<Connection> connection_;
  /// The results or error received from the process.
  std::variant<std::monostate, SerializedValues, std::string> outcome_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reaped_ = false;
};

}  // namespace tide::bindings
