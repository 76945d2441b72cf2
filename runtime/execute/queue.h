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

#include "runtime/device/backend.h"
#include "runtime/execute/failure/device_loss.h"
#include "runtime/execute/failure/error_table.h"
#include "runtime/execute/failure/salvage_program.h"
#include "runtime/execute/pending_checks.h"
#include "runtime/plan/plan.h"

namespace tide {

class IndependentBatches;

/// One step of a plan with its addresses, in a submission.
struct BoundStep {
  const Step* step;
  // First place in Submission::words of, each:
  uint32_t bases;       ///< the addresses of its buffers, offsets included
  uint32_t storages;    ///< the addresses of the values that these lie in
  uint32_t outputs;     ///< the addresses of its outputs
  uint32_t fallbacks;   ///< the addresses of what they fall back to
  uint32_t parameters;  ///< its numbers
  bool skip = false;    ///< a copy that is not needed this time
  const char* name;
  CallSite site;
};

/// What is flushed at once: a plan with addresses, or a task.
struct Submission {
  Ref<Plan> plan;
  std::vector<BoundStep> steps;
  std::vector<uint64_t> words;
  bool all_or_nothing = false;  ///< no step runs if one may not (a whole optimizer step)
  /// What steps start from (an optimizer's state): it is made even if what is queued is dropped,
  /// and tried again if it fails. Then steps that run whole or not at all do not run until somebody
  /// was reported.
  bool must_run = false;
  bool cancelled = false;   ///< no step runs: what was recorded is only a part of such a whole
  uint64_t number = 0;      ///< of all work, in the order in which it is flushed: see Failure
  uint64_t generation = 0;  ///< of the device, when its addresses were: see DeviceLoss
  /// Runs on the queue's thread in place of a plan: uploads, waits for other queues, marks.
  std::function<void()> task;
  /// Address that the task computes, and who asked for it, for failures; such a task does not wait
  /// for other queues. The site is noted by submit.
  void* task_output = nullptr;
  /// Address of a value of this device that the task reads, if it does.
  const void* task_input = nullptr;
  const char* name = "";
  CallSite site;
  int64_t ops = 0;
};

/// One stream of a device: runs what it is given in order.
class Queue {
 public:
  /// Gives back cached blocks of the device: those that no work of this queue uses from the one of
  /// this number on.
  using Reclaim = std::function<void(uint64_t work)>;
  Queue(Backend& backend, ErrorTable& failures, DeviceLoss& loss, Reclaim reclaim,
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
  /// That time, in engine::seconds; waits for it.
  double time_of_mark(uint64_t ticket);

  uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }
  uint64_t completed() const { return completed_.load(std::memory_order_acquire); }
  int64_t pending_ops() const { return pending_ops_.load(std::memory_order_relaxed); }
  int64_t launches() const { return launches_.load(std::memory_order_relaxed); }

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
  int64_t small_work(const Submission& submission) const;
  bool dropped(uint64_t ticket) const {
    return drop_until_.load(std::memory_order_acquire) >= ticket;
  }
  void execute(uint64_t ticket, bool drop);
  std::shared_lock<std::shared_mutex> hold();
  void finish();
  Ref<Failure> failure_of_loss(const std::string& why) const;
  void fail_all(Submission& submission);
  void execute_plan(Submission& submission, uint64_t ticket, bool drop);
  void decide_checks(uint64_t done);
  void note_mark(uint64_t ticket, double time);
  void wait_for_checks(const Submission& submission, const BoundStep& bound, uint64_t ticket);
  void pending_check(const Submission& submission, const BoundStep& bound, uint64_t ticket,
                     uint64_t report);
  void mark_unchecked(const Submission& submission, const BoundStep& bound);
  static Ref<Failure> failure_of(const BoundStep& bound, const std::string& what);
  static Ref<Failure> failure_of(const BoundStep& bound, const std::exception& error);
  Ref<Failure> attempt(const Submission& submission, const BoundStep& bound, uint64_t ticket,
                       bool drop);
  Ref<Failure> try_step(const Submission& submission, const BoundStep& bound, uint64_t ticket);
  Ref<Failure> blocking_error(const Submission& submission, const BoundStep& bound, bool drop);
  SalvageProgram salvage(const Submission& submission, const BoundStep& bound);
  void fail(const Submission& submission, const BoundStep& bound, const Ref<Failure>& failure,
            const SalvageProgram& partial = {});
  void clear_failures(const Submission& submission, const BoundStep& bound,
                      const SalvageProgram* partial = nullptr);
  ComputeOutcome launch(const Submission& submission, const BoundStep& bound);
  ComputeOutcome launch_once(const Submission& submission, const BoundStep& bound);

  static constexpr uint64_t kCapacity = 2048;  ///< submissions in flight
  static constexpr uint64_t kSideBySide = 32;  ///< submissions that are looked at together

  Backend& backend_;
  ErrorTable& failures_;
  DeviceLoss& loss_;
  const Reclaim reclaim_;
  std::vector<Submission> ring_{kCapacity};
  std::atomic<uint64_t> submitted_{0}, completed_{0}, drop_until_{0};
  std::atomic<bool> submitting_{false};  ///< a submission may have a number and no ticket
  /// The numbers of the submissions; for other threads.
  std::array<std::atomic<uint64_t>, kCapacity> numbers_{};
  std::atomic<int64_t> pending_ops_{0}, launches_{0};
  std::mutex submit_mutex_;  ///< one producer at a time
  std::mutex sleep_mutex_;
  std::condition_variable work_, done_;
  std::atomic<bool> sleeping_{false}, stop_{false};
  std::unique_ptr<IndependentBatches> batches_;
  /// The last ticket that was executed; done later if the backend only enqueues.
  std::atomic<uint64_t> launched_{0};
  PendingChecks pending_checks_;
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
