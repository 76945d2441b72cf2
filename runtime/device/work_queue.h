// The interface of a stream's queue for the layers below the planner.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "runtime/device/call_site.h"
#include "runtime/device/modelled/modelled_time.h"

namespace tide {

struct Stream;
struct Submission;

/// Work of a queue other than plans: uploads, copies, marks, waits for other queues.
struct Task {
  std::function<void()> run;  ///< on the queue's thread
  /// Address of its result, for failures; such a task does not wait for other queues.
  void* output = nullptr;
  /// Address of a value of this device that it reads, or null.
  const void* input = nullptr;
  const char* name = "";  ///< of the op
  CallSite site;          ///< the line that submits
  uint64_t number = 0;    ///< global, in the order of flushing: see Failure
  int64_t ops = 0;
  size_t bytes = 0;      ///< of a copy
  double submitted = 0;  ///< the script's modelled time at submission
};

/// The time when a stream reached a mark.
struct MarkTime {
  double seconds = 0;  ///< on the clock of seconds(), or on the modelled one
  bool is_modelled = false;
};

/// Runs the work of a stream, in order.
class WorkQueue {
 public:
  virtual ~WorkQueue() = default;

  /// Adds work. Waits while the queue is full. `fill` gets an object that is empty except for name,
  /// site and number. Returns its ticket.
  virtual uint64_t submit(const std::function<void(Submission&)>& fill) = 0;
  virtual uint64_t submit_task(const std::function<void(Task&)>& fill) = 0;
  /// Adds a task: later submissions start after the ticket of another queue. On a device whose
  /// backend only enqueues, the other queue's work may still be running by then.
  virtual void submit_wait_for(WorkQueue& other, uint64_t ticket) = 0;
  /// Adds a task that frees the backend's workspace.
  virtual void submit_release_of_workspace() = 0;
  /// Adds a task that records the time when all work before it is done.
  virtual uint64_t submit_mark() = 0;
  /// The recorded time; waits for it.
  virtual MarkTime time_of_mark(uint64_t ticket) = 0;

  uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }
  uint64_t completed() const { return completed_.load(std::memory_order_acquire); }
  /// Whether the ticket is done by any clock: nothing needs to wait for it.
  bool is_past(uint64_t ticket) const { return completed() >= ticket && !modelled::is_on(); }
  /// The script has observed that the ticket is done.
  void note_seen(uint64_t ticket) const {
    if (modelled::is_on()) [[unlikely]]
      modelled::script_has_seen(time_.end_of(ticket));
  }
  /// Work of this queue with lower numbers (Failure::number_work) is done. From any thread.
  virtual uint64_t done_before() const = 0;
  virtual int64_t launches() const = 0;

  /// Waits until the ticket is done: the only place in the process where a thread waits for a
  /// device. Returns immediately if it is. Throws Interrupted. Called through wait_for
  /// (record/wait.h), which records the wait.
  virtual void wait(uint64_t ticket) = 0;
  /// Waits, ignoring interrupts; for queue threads and the end of the process.
  virtual void wait_uninterrupted(uint64_t ticket) = 0;
  /// Likewise, with a time limit; returns whether the ticket is done.
  virtual bool wait_uninterrupted(uint64_t ticket, std::chrono::duration<double> most) = 0;
  /// Drops all submitted work that has not started; on the host also stops interruptible work.
  virtual void drop_pending() = 0;

  /// Whether the calling thread runs a queue.
  static bool is_queue_thread() { return runs_queue; }

 protected:
  static inline thread_local bool runs_queue = false;
  std::atomic<uint64_t> submitted_{0}, completed_{0};
  StreamTime time_;
};

/// The queue of a stream. registry.cpp determines its type.
std::unique_ptr<WorkQueue> make_queue(Stream& stream);

/// Set by engine::request_interrupt: waits end with Interrupted.
inline std::atomic<bool> interrupt_requested{false};

}  // namespace tide
