// A queue of a device: runs plans in order on a thread of its own.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/device/async_stream.h"
#include "runtime/device/backend.h"
#include "runtime/device/host_parallelism.h"
#include "runtime/execute/failure/device_loss.h"
#include "runtime/execute/plan_runner.h"
#include "runtime/execute/submission.h"

namespace tide {

class IndependentBatches;

/// One stream of a device: keeps the order of what it is given, and sleeps where there is nothing
/// to do. A PlanRunner runs it.
class Queue {
 public:
  Queue(Backend& backend, ErrorTable& failures, DeviceLoss& loss, PlanRunner::Reclaim reclaim,
        std::string name);
  ~Queue();

  /// Adds work. Waits while the queue is full. `fill` gets a recycled, empty submission. Returns
  /// its ticket.
  uint64_t submit(const std::function<void(Submission&)>& fill);

  /// Adds a task that gives back the backend's scratch memory.
  void submit_return_of_scratch();
  /// Work of lower numbers (Failure::number_work) is done, if it is this queue's. From any thread.
  uint64_t done_before() const;

  /// Adds a task that notes the time when all before it is done.
  uint64_t submit_mark();
  /// That time, in seconds(); waits for it.
  double time_of_mark(uint64_t ticket);

  uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }
  uint64_t completed() const { return completed_.load(std::memory_order_acquire); }
  int64_t pending_ops() const { return pending_ops_.load(std::memory_order_relaxed); }
  int64_t launches() const { return runner_.launches(); }

  /// Waits until the ticket is done: the only place of the process where a thread waits for a
  /// device. Returns at once if it is. Throws Interrupted. Called through wait_for (engine.cpp),
  /// which keeps the record.
  void wait(uint64_t ticket);
  /// The same without notice of interrupts; for queue threads and the end of the process.
  void wait_uninterrupted(uint64_t ticket);
  /// From a task of this queue: what it runs from now on starts after the ticket of another queue.
  /// If that is one of the same device, and its backend only enqueues, this one goes on at once;
  /// else it waits. What this queue's own backend still works on is finished before a wait, as the
  /// other may wait for that.
  void follow(Queue& other, uint64_t ticket);

  /// Everything submitted by now that has not begun is dropped.
  void drop_pending();

  /// Whether the calling thread is one that runs a queue.
  static bool is_queue_thread();

 private:
  void run();
  void wait_for_room(uint64_t ticket);
  bool publish();
  void rest(uint64_t next);
  uint64_t execute_from(uint64_t first);
  void execute(uint64_t ticket);
  std::shared_lock<std::shared_mutex> hold();
  void finish();
  Ref<Failure> failure_of_loss(const std::string& why) const;
  void note_mark(uint64_t ticket, double time);

  static constexpr uint64_t kCapacity = 2048;  ///< submissions in flight
  static constexpr uint64_t kSideBySide = 32;  ///< submissions that are looked at together

  Backend& backend_;
  AsyncStream* const async_;  ///< null: each call of the backend runs to its end
  DeviceLoss& loss_;
  PlanRunner runner_;  ///< the queue's thread, and those that it shares work with
  std::vector<Submission> ring_{kCapacity};
  std::atomic<uint64_t> submitted_{0}, completed_{0}, drop_until_{0};
  std::atomic<bool> submitting_{false};  ///< a submission may have a number and no ticket
  /// The numbers of the submissions; for other threads.
  std::array<std::atomic<uint64_t>, kCapacity> numbers_{};
  std::atomic<int64_t> pending_ops_{0};
  std::mutex submit_mutex_;  ///< one producer at a time
  std::mutex sleep_mutex_;
  std::condition_variable work_, done_;
  std::atomic<bool> sleeping_{false}, stop_{false};
  std::unique_ptr<IndependentBatches> batches_;
  /// The last ticket that was executed; done later if the backend only enqueues.
  std::atomic<uint64_t> launched_{0};
  /// Whether there are pending checks of launched tickets; for streams that follow.
  std::atomic<bool> has_pending_checks_{false};
  bool woken_ = false;  ///< the backend's work is done; guarded by sleep_mutex_
  bool will_be_woken_ = false;
  uint64_t woken_in_ = 0;  ///< the device's generation that will wake
  std::atomic<int> waiting_{0};
  std::mutex marks_mutex_;
  std::map<uint64_t, double> marks_;  ///< the last kMostMarks times
  static constexpr size_t kMostMarks = 65536;
  /// Marks that the backend has taken and that are not known to be done; the queue's thread.
  std::deque<uint64_t> open_marks_;
  std::string name_;
  std::thread thread_;
};

/// Set by engine::request_interrupt: waits end with Interrupted.
extern std::atomic<bool> interrupt_requested;

}  // namespace tide
