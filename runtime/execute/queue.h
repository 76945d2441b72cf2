// A queue of a device: runs plans in order on its own thread.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/device/async_stream.h"
#include "runtime/device/backend.h"
#include "runtime/device/error_table.h"
#include "runtime/device/host_parallelism.h"
#include "runtime/execute/independent_batches.h"
#include "runtime/execute/plan_runner.h"
#include "runtime/execute/submission.h"
#include "runtime/profile/recorder.h"

namespace tide {

/// One stream of a device: keeps work in order, and sleeps when there is none. A PlanRunner runs
/// the work.
class Queue : public WorkQueue {
 public:
  /// `queued_ops` counts the unfinished ops of all queues of the device.
  Queue(Backend& backend, ErrorTable& failures, std::atomic<int64_t>& queued_ops,
        PlanRunner::Reclaim reclaim, const std::string& name, profile::StreamTrack track = {});
  ~Queue() override;

  uint64_t submit(const std::function<void(Submission&)>& fill) override;
  uint64_t submit_task(const std::function<void(Task&)>& fill) override { return submit(fill); }
  void submit_wait_for(WorkQueue& other, uint64_t ticket) override;
  void submit_release_of_workspace() override;
  uint64_t submit_mark() override;
  MarkTime time_of_mark(uint64_t ticket) override;
  uint64_t done_before() const override;
  int64_t launches() const override { return runner_.launches(); }
  void wait(uint64_t ticket) override;
  void wait_uninterrupted(uint64_t ticket) override;
  bool wait_uninterrupted(uint64_t ticket, std::chrono::duration<double> most) override;
  void drop_pending() override;

 private:
  void run();
  void wait_for_capacity(uint64_t ticket);
  bool publish();
  void sleep(uint64_t next);
  uint64_t execute_from(uint64_t first);
  void execute(uint64_t ticket);
  void follow(Queue& other, uint64_t ticket);
  void finish();
  Ref<Failure> failure_of_loss(const std::string& why) const;
  void note_mark(uint64_t ticket, MarkTime time);
  MarkTime now() const;
  void begin_modelled(uint64_t ticket);
  void end_modelled(uint64_t first, uint64_t last);
  void profile_depth(uint64_t submitted, uint64_t submission) const;

  static constexpr uint64_t kCapacity = 2048;  ///< submissions in flight
  static constexpr uint64_t kSideBySide = 32;  ///< submissions considered for concurrency

  Backend& backend_;
  AsyncStream* const async_;  ///< null: each call of the backend runs to completion
  ErrorTable& failures_;      ///< of the device
  const profile::StreamTrack track_;
  PlanRunner runner_;  ///< used by the queue's thread, and those with which it shares work
  std::vector<Submission> ring_{kCapacity};
  std::atomic<uint64_t> drop_until_{0};
  std::atomic<bool> submitting_{false};  ///< a submission may have a number but no ticket yet
  /// The numbers of the submissions, for other threads.
  std::array<std::atomic<uint64_t>, kCapacity> numbers_{};
  std::atomic<int64_t>& queued_ops_;  ///< of the device, by this process
  std::mutex submit_mutex_;           ///< one producer at a time
  std::mutex sleep_mutex_;
  std::condition_variable work_, done_;
  std::atomic<bool> sleeping_{false}, stop_{false};
  IndependentBatches batches_;
  /// The last executed ticket; done later if the backend only enqueues.
  std::atomic<uint64_t> launched_{0};
  /// Whether launched tickets have pending checks, for streams that follow.
  std::atomic<bool> has_pending_checks_{false};
  bool woken_ = false;  ///< the backend's work is done; guarded by sleep_mutex_
  bool will_be_woken_ = false;
  std::atomic<int> waiting_{0};
  std::mutex marks_mutex_;
  std::map<uint64_t, MarkTime> marks_;  ///< the last kMostMarks times
  static constexpr size_t kMostMarks = 65536;
  /// Marks enqueued on the backend and not known to be done; the queue's thread.
  std::deque<uint64_t> open_marks_;
  std::thread thread_;
};

}  // namespace tide
