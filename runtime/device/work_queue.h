// What the layers below the planner know of a stream's queue.
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

/// Work of a queue that is no plan: uploads, copies, marks, waits for other queues.
struct Task {
  std::function<void()> run;  ///< on the queue's thread
  /// Address that it computes, for failures; such a task does not wait for other queues.
  void* output = nullptr;
  /// Address of a value of this device that it reads, if it does.
  const void* input = nullptr;
  const char* name = "";    ///< of the op
  CallSite site;            ///< the line that submits
  uint64_t number = 0;      ///< of all work, in the order in which it is flushed: see Failure
  uint64_t generation = 0;  ///< of the device, when its addresses were: see DeviceLoss
  int64_t ops = 0;
  size_t bytes = 0;      ///< of a copy
  double submitted = 0;  ///< where the script was by then, on the modelled clock
};

/// When a stream came to a mark.
struct MarkTime {
  double seconds = 0;  ///< on the clock of seconds(), or on the modelled one
  bool is_modelled = false;
};

/// Runs what a stream is given, in order.
class WorkQueue {
 public:
  virtual ~WorkQueue() = default;

  /// Adds work. Waits while the queue is full. `fill` gets what is empty but for name, site, number
  /// and generation. Returns its ticket.
  virtual uint64_t submit(const std::function<void(Submission&)>& fill) = 0;
  virtual uint64_t submit_task(const std::function<void(Task&)>& fill) = 0;
  /// Adds a task: what is submitted after it starts after the ticket of another queue. On a device
  /// whose backend only enqueues the other's work may still be under way by then.
  virtual void submit_wait_for(WorkQueue& other, uint64_t ticket) = 0;
  /// Adds a task that gives back the backend's scratch memory.
  virtual void submit_return_of_scratch() = 0;
  /// Adds a task that notes the time when all before it is done.
  virtual uint64_t submit_mark() = 0;
  /// That time; waits for it.
  virtual MarkTime time_of_mark(uint64_t ticket) = 0;

  uint64_t submitted() const { return submitted_.load(std::memory_order_acquire); }
  uint64_t completed() const { return completed_.load(std::memory_order_acquire); }
  /// Whether the ticket is done by any clock: nothing has to be made to start after it.
  bool is_past(uint64_t ticket) const { return completed() >= ticket && !modelled::is_on(); }
  /// The script knows now that the ticket is done.
  void note_seen(uint64_t ticket) const {
    if (modelled::is_on()) [[unlikely]]
      modelled::script_has_seen(time_.end_of(ticket));
  }
  /// Work of lower numbers (Failure::number_work) is done, if it is this queue's. From any thread.
  virtual uint64_t done_before() const = 0;
  virtual int64_t launches() const = 0;

  /// Waits until the ticket is done: the only place of the process where a thread waits for a
  /// device. Returns at once if it is. Throws Interrupted. Called through wait_for (record/wait.h),
  /// which keeps the record.
  virtual void wait(uint64_t ticket) = 0;
  /// The same without notice of interrupts; for queue threads and the end of the process.
  virtual void wait_uninterrupted(uint64_t ticket) = 0;
  /// The same for at most so long; whether the ticket is done.
  virtual bool wait_uninterrupted(uint64_t ticket, std::chrono::duration<double> most) = 0;
  /// Everything submitted by now is dropped that has not begun or, on the host, can be stopped.
  virtual void drop_pending() = 0;

  /// Whether the calling thread is one that runs a queue.
  static bool is_queue_thread() { return runs_queue; }

 protected:
  static inline thread_local bool runs_queue = false;
  std::atomic<uint64_t> submitted_{0}, completed_{0};
  StreamTime time_;
};

/// The queue of a stream. registry.cpp says which kind it is.
std::unique_ptr<WorkQueue> make_queue(Stream& stream);

/// Set by engine::request_interrupt: waits end with Interrupted.
inline std::atomic<bool> interrupt_requested{false};

}  // namespace tide
