// The queue of a stream.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "runtime/device/backend.h"
#include "runtime/device/call_site.h"
#include "runtime/device/error_table.h"
#include "runtime/device/modelled/modelled_time.h"
#include "runtime/profile/recorder.h"

namespace tide {

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

struct QueueWork;

/// One stream of a device: keeps its work in order, and runs it on a thread of its own, which
/// sleeps when there is none. Implemented in `execute`, which knows the plans.
class Queue {
 public:
  /// Frees cached blocks of the device that this queue's work from this number on does not use.
  using Reclaim = std::function<void(uint64_t work)>;

  /// `failures` is the table of the device; `queued_ops` counts the unfinished ops of all its
  /// queues.
  Queue(StreamBackend& stream, ErrorTable& failures, std::atomic<int64_t>& queued_ops,
        Reclaim reclaim, const std::string& name, profile::StreamTrack track = {});
  ~Queue();

  /// Adds work. Waits while the queue is full. `fill` gets an object that is empty except for name,
  /// site and number. Returns its ticket.
  uint64_t submit(const std::function<void(Submission&)>& fill);
  uint64_t submit_task(const std::function<void(Task&)>& fill);
  /// Adds a task: later submissions start after the ticket of another queue. On a device whose
  /// streams only enqueue, the other queue's work may still be running by then.
  void submit_wait_for(Queue& other, uint64_t ticket);
  /// Adds a task that frees the stream's workspace.
  void submit_release_of_workspace();
  /// Adds a task that records the time when all work before it is done.
  uint64_t submit_mark();
  /// The recorded time; waits for it.
  MarkTime time_of_mark(uint64_t ticket);

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
  uint64_t done_before() const;
  /// Steps launched so far.
  int64_t launches() const;

  /// Waits until the ticket is done: the only place in the process where a thread waits for a
  /// device. Returns immediately if it is. Throws Interrupted. Called through wait_for
  /// (record/wait.h), which records the wait.
  void wait(uint64_t ticket);
  /// Waits, ignoring interrupts; for queue threads and the end of the process.
  void wait_uninterrupted(uint64_t ticket);
  /// Likewise, with a time limit; returns whether the ticket is done.
  bool wait_uninterrupted(uint64_t ticket, std::chrono::duration<double> most);
  /// Drops all submitted work that has not started; on the host also stops interruptible work.
  void drop_pending();

  /// Whether the calling thread runs a queue.
  static bool is_queue_thread();

 private:
  void run();
  void wait_for_capacity(uint64_t ticket);
  bool publish();
  template <class Condition, class Sleep>
  void sleep_until(uint64_t ticket, const Condition& over, const Sleep& sleep);
  void sleep(uint64_t next);
  uint64_t execute_from(uint64_t first);
  void execute(uint64_t ticket);
  void follow(Queue& other, uint64_t ticket);
  void finish();
  Ref<Failure> failure_of_loss(const std::string& why) const;
  void note_mark(uint64_t ticket, MarkTime time);
  void begin_modelled(uint64_t ticket);
  void end_modelled(uint64_t first, uint64_t last);
  void profile_depth(uint64_t submitted, uint64_t submission) const;

  static constexpr uint64_t kCapacity = 2048;  ///< submissions in flight
  static constexpr uint64_t kSideBySide = 32;  ///< submissions considered for concurrency

  std::atomic<uint64_t> submitted_{0}, completed_{0};
  StreamTime time_;
  StreamBackend& stream_;
  ErrorTable& failures_;  ///< of the device
  const profile::StreamTrack track_;
  std::atomic<uint64_t> drop_until_{0};
  const std::unique_ptr<QueueWork> work_;
  std::atomic<bool> submitting_{false};  ///< a submission may have a number but no ticket yet
  /// The numbers of the submissions, for other threads.
  std::array<std::atomic<uint64_t>, kCapacity> numbers_{};
  std::atomic<int64_t>& queued_ops_;  ///< of the device, by this process
  std::mutex submit_mutex_;           ///< one producer at a time
  std::mutex sleep_mutex_;
  std::condition_variable wake_, done_;
  std::atomic<bool> sleeping_{false}, stop_{false};
  /// The last executed ticket; done later if the stream only enqueues.
  std::atomic<uint64_t> launched_{0};
  /// Whether launched tickets have pending checks, for streams that follow.
  std::atomic<bool> has_pending_checks_{false};
  bool woken_ = false;  ///< the stream's work is done; guarded by sleep_mutex_
  bool will_be_woken_ = false;
  static constexpr uint64_t kNoTicket = ~uint64_t{0};
  /// The first ticket that a sleeping thread waits for; it may have woken up since.
  std::atomic<uint64_t> first_awaited_{kNoTicket};
  std::mutex marks_mutex_;
  std::map<uint64_t, MarkTime> marks_;  ///< the last kMostMarks times
  static constexpr size_t kMostMarks = 65536;
  /// Marks enqueued on the stream and not known to be done; the queue's thread.
  std::deque<uint64_t> open_marks_;
  std::thread thread_;
};

/// Set by engine::request_interrupt: waits end with Interrupted.
inline std::atomic<bool> interrupt_requested{false};

}  // namespace tide
