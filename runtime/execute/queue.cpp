// The queue's thread, and waiting.
#include "runtime/record/queue.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "runtime/device/small_work.h"
#include "runtime/execute/queue.h"
#include "runtime/os/spin.h"
#include "runtime/record/wait_report.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

constexpr size_t kStackBytes = 8u << 20;

/// Busy-waiting time before a thread sleeps: covers the gaps between the windows of a loop.
constexpr auto kSpin = std::chrono::microseconds(60);

/// Polling interval while the queue is full, and has work for longer.
constexpr auto kNap = std::chrono::microseconds(500);

/// Polling interval for interrupts, and for the loss of a device.
constexpr auto kLook = std::chrono::milliseconds(20);

thread_local bool runs_queue = false;

/// The work of a step if it is small; else 0.
int64_t small_work(const Step& step) {
  switch (step.kind) {
    case Step::Kind::loop:
      return small_work(step.loop);
    case Step::Kind::compute:
      return small_work(step.compute);
    case Step::Kind::copy:
      return small_copy(step.bytes);
    case Step::Kind::nothing:
      break;
  }
  return 1;
}

/// The work of a submission whose steps are all small; else 0.
int64_t small_work(const Submission& submission) {
  if (!submission.plan) return 0;
  int64_t whole = 0;
  for (const BoundStep& bound : submission.steps) {
    const int64_t work = small_work(*bound.step);
    if (work == 0) return 0;
    whole += work;
  }
  return whole;
}

/// Sets a flag for its lifetime.
struct Submitting {
  explicit Submitting(std::atomic<bool>& flag) : flag(flag) { flag = true; }
  ~Submitting() { flag = false; }
  std::atomic<bool>& flag;
};

}  // namespace

Queue::Queue(StreamBackend& stream, ErrorTable& failures, std::atomic<int64_t>& queued_ops,
             Reclaim reclaim, const std::string& name, profile::StreamTrack track)
    : stream_(stream),
      failures_(failures),
      track_(track),
      work_(new QueueWork{{stream, failures, std::move(reclaim), drop_until_, track},
                          std::vector<Submission>(kCapacity)}),
      queued_ops_(queued_ops) {
  // std::thread uses the process's default stack size, which may depend on the shell's limit.
  pthread_attr_t attributes;
  pthread_getattr_default_np(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), ("tide " + name).substr(0, 15).c_str());
}

Queue::~Queue() {
  {
    std::lock_guard lock(sleep_mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

uint64_t Queue::submit(const std::function<void(Submission&)>& fill) {
  Failure::make_spares();
  std::lock_guard producer(submit_mutex_);
  const uint64_t ticket = submitted_.load(std::memory_order_relaxed) + 1;
  if (ticket > completed() + kCapacity) wait_for_capacity(ticket);
  Submission& submission = work_->ring[ticket % kCapacity];
  submission.reset();
  submission.name = "submit";
  submission.site = current_call_site();
  const Submitting until_the_end(submitting_);
  submission.number = numbers_[ticket % kCapacity] = Failure::number_work();
  if (modelled::is_on()) [[unlikely]]
    submission.submitted = modelled::script_time();
  fill(submission);
  if (!submission.steps.empty()) {
    submission.name = submission.steps.front().name;
    submission.site = submission.steps.front().site;
  }
  queued_ops_.fetch_add(submission.ops, std::memory_order_relaxed);
  if (profile::is_on()) [[unlikely]]
    profile_depth(ticket, submission.number);  // before the work may start
  submitted_.store(ticket, std::memory_order_seq_cst);
  if (sleeping_.load(std::memory_order_seq_cst)) {
    std::lock_guard lock(sleep_mutex_);
    wake_.notify_one();
  }
  return ticket;
}

/// Waits, asleep, until the full queue is half empty: a thread that polls for each free slot would
/// take a core from the work.
void Queue::wait_for_capacity(uint64_t ticket) {
  const auto has_slots = [&](uint64_t slots) { return completed() + kCapacity >= ticket + slots; };
  const double start = seconds();
  while (!has_slots(kCapacity / 2) && !(interrupt_requested && has_slots(0)))
    std::this_thread::sleep_for(kNap);
  engine::note_wait("queue full", seconds() - start);
}

void Queue::profile_depth(uint64_t submitted, uint64_t submission) const {
  profile::Event event{.begin = profile::now(), .kind = profile::EventKind::depth};
  event.bytes = static_cast<int64_t>(submitted - completed());
  event.submission = submission;
  event.device = track_.device;
  event.stream = track_.stream;
  profile::add(event);
}

void Queue::submit_release_of_workspace() {
  submit(
      [this](Submission& submission) { submission.run = [this] { stream_.release_workspace(); }; });
}

uint64_t Queue::submit_task(const std::function<void(Task&)>& fill) { return submit(fill); }

int64_t Queue::launches() const { return work_->runner.launches(); }

bool Queue::is_queue_thread() { return runs_queue; }

uint64_t Queue::done_before() const {
  // Work without a number will get a higher one.
  const uint64_t next = Failure::last_number() + 1;
  for (;;) {
    const bool submitting = submitting_;
    const uint64_t done = completed();
    if (done == submitted()) return submitting ? numbers_[done % kCapacity] + 1 : next;
    const uint64_t oldest = numbers_[(done + 1) % kCapacity];
    if (done == completed()) return oldest;  // otherwise it may belong to a later submission
  }
}

uint64_t Queue::submit_mark() {
  // Producers are serialized, so the next ticket is known inside `fill`.
  return submit([this](Submission& submission) {
    submission.run = [this, ticket = submitted_.load(std::memory_order_relaxed) + 1] {
      open_marks_.push_back(ticket);
      stream_.take_time(ticket);
    };
  });
}

void Queue::note_mark(uint64_t ticket, MarkTime time) {
  std::lock_guard lock(marks_mutex_);
  marks_[ticket] = time;
  if (marks_.size() > kMostMarks) marks_.erase(marks_.begin());
}

MarkTime Queue::time_of_mark(uint64_t ticket) {
  wait(ticket);
  std::lock_guard lock(marks_mutex_);
  const auto found = marks_.find(ticket);
  return found == marks_.end() ? MarkTime{} : found->second;
}

/// On the modelled clock, the ticket's work starts no earlier than it was submitted.
void Queue::begin_modelled(uint64_t ticket) {
  time_.wait_until(work_->ring[ticket % kCapacity].submitted);
}

/// Ends these tickets on the modelled clock. If there are several, none has advanced it.
void Queue::end_modelled(uint64_t first, uint64_t last) {
  for (uint64_t ticket = first; ticket <= last; ++ticket) {
    begin_modelled(ticket);
    time_.note(ticket);
  }
}

void Queue::run() {
  runs_queue = true;
  time_.belongs_to_thread();
  for (;;) {
    const uint64_t next = launched_ + 1;
    const auto ready = [&] { return submitted_.load(std::memory_order_acquire) >= next; };
    if (!spin_until(kSpin, [&] { return ready() || publish(); }) && !ready()) {
      sleep(next);
      if (stop_ && !ready() && completed() == launched_) return;
    }
    if (!ready()) continue;
    if (modelled::is_on()) [[unlikely]]
      begin_modelled(next);
    const uint64_t last = execute_from(next);
    if (modelled::is_on()) [[unlikely]]
      end_modelled(next, last);
    for (uint64_t ticket = next; ticket <= last; ++ticket) {
      Submission& submission = work_->ring[ticket % kCapacity];
      queued_ops_.fetch_sub(submission.ops, std::memory_order_relaxed);
      submission.reset();
    }
    stream_.note(last);
    has_pending_checks_ = work_->runner.has_pending_checks();
    launched_ = last;
    launched_.notify_all();
    publish();
  }
}

/// Waits until the stream has finished all its work. Returns if the device is lost.
void Queue::finish() {
  try {
    stream_.finish();
  } catch (const std::exception&) {
  }
}

/// Executes the submission of ticket `first`, and small ones queued after it; returns the last one
/// executed. Independent small ones run one per thread: that is faster than running each on all
/// threads, because threads synchronize once instead of at every step.
uint64_t Queue::execute_from(uint64_t first) {
  Parallel* const threads = stream_.threads;
  const int thread_count = threads ? threads->threads() : 1;
  IndependentBatches& batches = work_->batches;
  uint64_t next = first;
  const uint64_t end =
      std::min(submitted_.load(std::memory_order_acquire) + 1, first + kSideBySide);
  try {
    if (thread_count > 1 && end > first + 1) {
      batches.clear();
      const auto submission = [&] { return &work_->ring[next % kCapacity]; };
      for (int64_t work; next < end && (work = small_work(*submission())); ++next)
        batches.add(*submission(), work);
    }
    if (next > first + 1) batches.tie();
  } catch (const std::bad_alloc&) {
    next = first;
  }
  if (next <= first + 1) {
    execute(first);
    return first;
  }
  if (2 * batches.longest_work() * thread_count > 3 * batches.whole_work()) {
    for (uint64_t ticket = first; ticket < next; ++ticket) execute(ticket);
  } else {
    const auto count = static_cast<int64_t>(batches.count());
    threads->for_range(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t batch = begin; batch < end; ++batch)
        for (uint32_t number : batches.batch(static_cast<size_t>(batch))) execute(first + number);
    });
  }
  return next - 1;
}

/// Publishes finished work; returns whether there was any.
bool Queue::publish() {
  const uint64_t before = completed_.load(std::memory_order_relaxed);
  if (before == launched_) return false;
  uint64_t done = launched_;
  if (!failures_.is_lost()) try {
      done = stream_.done();
    } catch (const Error& error) {
      failures_.lose(failure_of_loss(error.what()));
    }
  PlanRunner& runner = work_->runner;
  runner.decide_checks(done);
  if (!runner.has_pending_checks()) has_pending_checks_ = false;
  for (; !open_marks_.empty() && open_marks_.front() <= done; open_marks_.pop_front()) {
    runner.profile_steps(open_marks_.front());  // times come in stream order
    note_mark(open_marks_.front(), stream_.time_taken(open_marks_.front()));
  }
  runner.profile_steps(done);
  if (done == before) return false;
  completed_.store(done, std::memory_order_seq_cst);
  if (profile::is_on()) [[unlikely]]
    profile_depth(submitted(), 0);
  // Waking a thread at each ticket would take as long as many of the steps.
  if (done >= first_awaited_.load(std::memory_order_seq_cst)) {
    std::lock_guard lock(sleep_mutex_);
    first_awaited_.store(kNoTicket, std::memory_order_relaxed);
    done_.notify_all();
  }
  return true;
}

/// Sleeps until the condition, which holds when the ticket is done, is true, or `sleep(lock)`
/// returns false.
template <class Condition, class Sleep>
void Queue::sleep_until(uint64_t ticket, const Condition& over, const Sleep& sleep) {
  std::unique_lock lock(sleep_mutex_);
  for (bool sleeps = true; sleeps;) {
    const uint64_t first = first_awaited_.load(std::memory_order_relaxed);
    first_awaited_.store(std::min(first, ticket), std::memory_order_seq_cst);
    sleeps = !over() && sleep(lock);
  }
}

/// Sleeps until ticket `next` is submitted, the backend has finished its work, or the queue is
/// stopped.
void Queue::sleep(uint64_t next) {
  const bool unfinished = completed() != launched_;
  if (unfinished && !will_be_woken_) {
    will_be_woken_ = true;
    const auto wake = [](void* data) {
      Queue& queue = *static_cast<Queue*>(data);
      std::lock_guard lock(queue.sleep_mutex_);
      queue.woken_ = true;
      queue.wake_.notify_one();
    };
    stream_.call_when_done(wake, this);
  }
  std::unique_lock lock(sleep_mutex_);
  sleeping_.store(true, std::memory_order_seq_cst);
  const auto over = [&] {
    return submitted_.load(std::memory_order_seq_cst) >= next || woken_ || (stop_ && !unfinished);
  };
  // A lost device does not wake this thread: poll for that.
  if (unfinished)
    wake_.wait_for(lock, kLook, over);
  else
    wake_.wait(lock, over);
  sleeping_.store(false, std::memory_order_relaxed);
  if (!woken_) return;
  woken_ = will_be_woken_ = false;
}

void Queue::wait(uint64_t ticket) {
  if (completed() >= ticket) return note_seen(ticket);
  const auto over = [&] { return completed() >= ticket || interrupt_requested.load(); };
  // Busy waiting would take a core that the work could use, so this thread helps.
  Parallel* const threads = stream_.threads;
  const bool helps = threads && threads->threads() > 1;
  if (!(helps ? threads->help_until(kSpin, over) : spin_until(kSpin, over))) {
    // An interrupt comes from a signal handler, which cannot notify: poll for it.
    sleep_until(ticket, over, [this](auto& lock) {
      done_.wait_for(lock, kLook);
      return true;
    });
  }
  if (completed() < ticket) throw Interrupted();
  note_seen(ticket);
}

void Queue::wait_uninterrupted(uint64_t ticket) {
  const auto over = [&] { return completed() >= ticket; };
  if (!over() && !spin_until(kSpin, over)) {
    sleep_until(ticket, over, [this](auto& lock) {
      done_.wait(lock);
      return true;
    });
  }
  if (!runs_queue) note_seen(ticket);
}

bool Queue::wait_uninterrupted(uint64_t ticket, std::chrono::duration<double> most) {
  const auto over = [&] { return completed() >= ticket; };
  if (over() || spin_until(kSpin, over)) return true;
  const auto end = std::chrono::steady_clock::now() + most;
  sleep_until(ticket, over, [&](auto& lock) {
    return done_.wait_until(lock, end) == std::cv_status::no_timeout;
  });
  return over();
}

void Queue::submit_wait_for(Queue& other, uint64_t ticket) {
  submit([&](Submission& submission) {
    submission.run = [this, &other, ticket] {
      follow(other, ticket);
      if (modelled::is_on()) [[unlikely]]
        time_.wait_until(other.time_.end_of(ticket));
    };
  });
}

/// Makes further work of this queue start after the ticket of another one. On the same device this
/// queue continues once the ticket is launched; else it waits. Before waiting, this queue's own
/// work is finished, because the other queue may wait for it.
void Queue::follow(Queue& other, uint64_t ticket) {
  if (other.completed() >= ticket) return;
  const bool on_device = &failures_ == &other.failures_;
  uint64_t launched = other.launched_;
  const auto end_own_work = [&] {  // others may wait for it
    if (completed() == launched_) return;
    finish();
    publish();
  };
  if (on_device && launched < ticket) {
    end_own_work();
    for (; launched < ticket; launched = other.launched_) other.launched_.wait(launched);
  }
  if (!on_device || other.has_pending_checks_) {
    end_own_work();
    return other.wait_uninterrupted(ticket);
  }
  stream_.follow(other.stream_, ticket);
}

void Queue::drop_pending() { drop_until_.store(submitted(), std::memory_order_release); }

/// Blames work that was running when the device was lost: the line of the oldest.
Ref<Failure> Queue::failure_of_loss(const std::string& why) const {
  const uint64_t launched = launched_, oldest = std::min(completed() + 1, launched);
  const Submission& submission = work_->ring[oldest % kCapacity];
  const std::string others = oldest == launched ? ""
                                                : "; it is this op or one of the " +
                                                      std::to_string(launched - oldest) +
                                                      " windows after it (TIDE_EAGER=1 finds it)";
  return Failure::of_work(submission.name, submission.site, why + others);
}

void Queue::execute(uint64_t ticket) {
  const Submission& submission = work_->ring[ticket % kCapacity];
  // Nothing runs on a lost device: all results have the failure of the loss.
  if (failures_.is_lost() && (submission.plan || submission.output)) return;
  work_->runner.run(submission, ticket, drop_until_.load(std::memory_order_acquire) >= ticket);
}

}  // namespace tide
