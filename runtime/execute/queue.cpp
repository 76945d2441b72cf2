// The queue's thread, and waiting.
#include "runtime/execute/queue.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "runtime/core/error.h"
#include "runtime/core/reserve.h"
#include "runtime/core/spin.h"
#include "runtime/device/simulation.h"
#include "runtime/record/wait_report.h"

namespace tide {
namespace {

constexpr size_t kStackBytes = 8u << 20;

/// Busy waiting before a thread goes to sleep: covers the gaps between the windows of a loop.
constexpr auto kSpin = std::chrono::microseconds(60);

/// Between two looks at a full queue, which has work for longer.
constexpr auto kNap = std::chrono::microseconds(500);

/// Between two looks for an interrupt, or at a device that may be lost.
constexpr auto kLook = std::chrono::milliseconds(20);

/// The work of a step that is small; else 0.
int64_t small_work(const HostParallelism& host, const Step& step) {
  switch (step.kind) {
    case Step::Kind::loop:
      return host.small_work(step.loop);
    case Step::Kind::compute:
      return host.small_work(step.compute);
    case Step::Kind::copy:
      return host.small_copy(step.bytes);
    case Step::Kind::nothing:
      break;
  }
  return 1;
}

/// The work of a submission whose steps are all small; else 0.
int64_t small_work(const HostParallelism& host, const Submission& submission) {
  if (!submission.plan) return 0;
  int64_t whole = 0;
  for (const BoundStep& bound : submission.steps) {
    const int64_t work = small_work(host, *bound.step);
    if (work == 0) return 0;
    whole += work;
  }
  return whole;
}

/// Sets a flag as long as it lives.
struct Submitting {
  explicit Submitting(std::atomic<bool>& flag) : flag(flag) { flag = true; }
  ~Submitting() { flag = false; }
  std::atomic<bool>& flag;
};

}  // namespace

Queue::Queue(Backend& backend, ErrorTable& failures, DeviceLoss& loss,
             std::atomic<int64_t>& queued_ops, PlanRunner::Reclaim reclaim, const std::string& name,
             profile::StreamTrack track)
    : backend_(backend),
      async_(backend.async_stream()),
      loss_(loss),
      track_(track),
      runner_(backend, failures, std::move(reclaim), drop_until_, track),
      queued_ops_(queued_ops) {
  // std::thread takes its stack size from the process default, whatever the shell's limit was.
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
  work_.notify_all();
  thread_.join();
}

uint64_t Queue::submit(const std::function<void(Submission&)>& fill) {
  refill_reserve();
  std::lock_guard producer(submit_mutex_);
  const uint64_t ticket = submitted_.load(std::memory_order_relaxed) + 1;
  if (ticket > completed() + kCapacity) wait_for_room(ticket);
  Submission& submission = ring_[ticket % kCapacity];
  submission.reset();
  submission.name = "submit";
  submission.site = current_call_site();
  const Submitting until_the_end(submitting_);
  submission.number = numbers_[ticket % kCapacity] = Failure::number_work();
  if (modelled::is_on()) [[unlikely]]
    submission.submitted = modelled::script_time();
  // Before any block is taken: if the device is lost meanwhile, this one is too old.
  submission.generation = loss_.generation();
  fill(submission);
  if (!submission.steps.empty()) {
    submission.name = submission.steps.front().name;
    submission.site = submission.steps.front().site;
  }
  queued_ops_.fetch_add(submission.ops, std::memory_order_relaxed);
  if (profile::is_on()) [[unlikely]]
    profile_depth(ticket, submission.number);  // before the work may begin
  submitted_.store(ticket, std::memory_order_seq_cst);
  if (sleeping_.load(std::memory_order_seq_cst)) {
    std::lock_guard lock(sleep_mutex_);
    work_.notify_one();
  }
  return ticket;
}

/// The queue is full. It is let run half empty, asleep: a thread that looked out for each place
/// that becomes free would keep a processor from the work.
void Queue::wait_for_room(uint64_t ticket) {
  const auto has_place = [&](uint64_t places) {
    return completed() + kCapacity >= ticket + places;
  };
  const double start = seconds();
  while (!has_place(kCapacity / 2) && !(interrupt_requested && has_place(0)))
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

void Queue::submit_return_of_scratch() {
  submit([this](Submission& submission) {
    submission.run = [this] {
      const auto held = hold();
      backend_.give_back_scratch();
    };
  });
}

uint64_t Queue::done_before() const {
  // What has no number yet gets one that is higher than this.
  const uint64_t next = Failure::last_number() + 1;
  for (;;) {
    const bool submitting = submitting_;
    const uint64_t done = completed();
    if (done == submitted()) return submitting ? numbers_[done % kCapacity] + 1 : next;
    const uint64_t oldest = numbers_[(done + 1) % kCapacity];
    if (done == completed()) return oldest;  // else it may be that of a later one
  }
}

uint64_t Queue::submit_mark() {
  // Producers are serialised, so the next ticket is known inside `fill`.
  return submit([this](Submission& submission) {
    submission.run = [this, ticket = submitted_.load(std::memory_order_relaxed) + 1] {
      if (!async_) {
        finish();
        return note_mark(ticket, now());
      }
      open_marks_.push_back(ticket);
      const auto held = hold();
      async_->take_time(ticket);
    };
  });
}

/// By the clock of the device: the modelled one if it is like a card.
MarkTime Queue::now() const {
  if (modelled::is_on()) [[unlikely]] {
    const Simulation* const simulation = backend_.simulation();
    if (simulation && simulation->card()) return {time_.now(), true};
  }
  return {seconds(), false};
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

/// What the ticket runs starts no earlier than it was submitted, on the modelled clock.
void Queue::begin_modelled(uint64_t ticket) {
  time_.wait_until(ring_[ticket % kCapacity].submitted);
}

/// These tickets have ended, on the modelled clock. If there are several, none has moved it.
void Queue::end_modelled(uint64_t first, uint64_t last) {
  for (uint64_t ticket = first; ticket <= last; ++ticket) {
    begin_modelled(ticket);
    time_.note(ticket);
  }
}

void Queue::run() {
  runs_queue = true;
  time_.belongs_to_thread();
  const ReserveUse reserve(true);
  if (async_) {
    const auto held = hold();
    async_->begin_queue();
  }
  for (;;) {
    const uint64_t next = launched_ + 1;
    const auto ready = [&] { return submitted_.load(std::memory_order_acquire) >= next; };
    if (!spin_until(kSpin, [&] { return ready() || publish(); }) && !ready()) {
      rest(next);
      if (stop_ && !ready() && completed() == launched_) return;
    }
    if (!ready()) continue;
    if (modelled::is_on()) [[unlikely]]
      begin_modelled(next);
    const uint64_t last = execute_from(next);
    if (modelled::is_on()) [[unlikely]]
      end_modelled(next, last);
    for (uint64_t ticket = next; ticket <= last; ++ticket) {
      Submission& submission = ring_[ticket % kCapacity];
      queued_ops_.fetch_sub(submission.ops, std::memory_order_relaxed);
      submission.reset();
    }
    if (!async_) {
      launched_ = last;
    } else {
      const auto held = hold();
      async_->note(last);
      has_pending_checks_ = runner_.has_pending_checks();
      launched_ = last;
      launched_.notify_all();
    }
    publish();
  }
}

/// A device that may be lost is not set up anew meanwhile. Not while waiting for another queue.
std::shared_lock<std::shared_mutex> Queue::hold() {
  return async_ ? loss_.hold() : std::shared_lock<std::shared_mutex>();
}

/// Waits until the backend is done with all it has. A lost device is.
void Queue::finish() {
  const auto held = hold();
  try {
    backend_.finish();
  } catch (const std::exception&) {
  }
}

/// Executes the submission of ticket `first`, and small ones that wait behind it; the last that was
/// executed. Small ones that do not need each other's results run one per thread: that is faster
/// than all threads on one after the other, as they meet once, not at every step.
uint64_t Queue::execute_from(uint64_t first) {
  const auto run = [&](uint64_t ticket) {
    const ReserveUse reserve(true);  // of any thread that shares the work
    execute(ticket);
  };
  HostParallelism* const host = backend_.host_parallelism();
  uint64_t next = first;
  const uint64_t end =
      std::min(submitted_.load(std::memory_order_acquire) + 1, first + kSideBySide);
  if (host && end > first + 1) {
    batches_.clear();
    for (int64_t work; next < end && (work = small_work(*host, ring_[next % kCapacity])); ++next)
      batches_.add(ring_[next % kCapacity], work);
  }
  if (next <= first + 1) {
    run(first);
    return first;
  }
  batches_.tie();
  if (2 * batches_.longest_work() * host->parallel().threads() > 3 * batches_.whole_work()) {
    for (uint64_t ticket = first; ticket < next; ++ticket) run(ticket);
  } else {
    const auto count = static_cast<int64_t>(batches_.count());
    host->parallel().for_range(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t batch = begin; batch < end; ++batch)
        for (uint32_t number : batches_.batch(static_cast<size_t>(batch))) run(first + number);
    });
  }
  return next - 1;
}

/// Publishes what is done by now; whether that is news.
bool Queue::publish() {
  const uint64_t before = completed_.load(std::memory_order_relaxed);
  if (before == launched_) return false;
  uint64_t done = launched_;
  if (async_) {
    auto held = loss_.hold();
    const uint64_t generation = loss_.generation();
    done = async_->done();
    runner_.decide_checks(done);
    if (!runner_.has_pending_checks()) has_pending_checks_ = false;
    for (; !open_marks_.empty() && open_marks_.front() <= done; open_marks_.pop_front()) {
      runner_.profile_steps(open_marks_.front());  // times come in the order of the stream
      note_mark(open_marks_.front(), {async_->time_taken(open_marks_.front()), false});
    }
    runner_.profile_steps(done);
    const auto why = async_->loss();
    held.unlock();
    if (why) loss_.lose(generation, failure_of_loss(*why));
  }
  if (done == before) return false;
  completed_.store(done, std::memory_order_seq_cst);
  if (profile::is_on()) [[unlikely]]
    profile_depth(submitted(), 0);
  if (waiting_.load(std::memory_order_seq_cst)) {
    std::lock_guard lock(sleep_mutex_);
    done_.notify_all();
  }
  return true;
}

/// Sleeps until ticket `next` is submitted, the backend is done with all it has, or the queue is to
/// stop.
void Queue::rest(uint64_t next) {
  const bool unfinished = completed() != launched_;
  const uint64_t generation = loss_.generation();
  if (unfinished && !(will_be_woken_ && woken_in_ == generation)) {
    will_be_woken_ = true;
    woken_in_ = generation;
    const auto wake = [](void* data) {
      Queue& queue = *static_cast<Queue*>(data);
      std::lock_guard lock(queue.sleep_mutex_);
      queue.woken_ = true;
      queue.work_.notify_one();
    };
    const auto held = hold();
    async_->call_when_done(wake, this);
  }
  std::unique_lock lock(sleep_mutex_);
  sleeping_.store(true, std::memory_order_seq_cst);
  const auto over = [&] {
    return submitted_.load(std::memory_order_seq_cst) >= next || woken_ || (stop_ && !unfinished);
  };
  // A lost device wakes nobody: look for that now and then.
  if (unfinished)
    work_.wait_for(lock, kLook, over);
  else
    work_.wait(lock, over);
  sleeping_.store(false, std::memory_order_relaxed);
  if (!woken_) return;
  woken_ = will_be_woken_ = false;
}

void Queue::wait(uint64_t ticket) {
  if (completed() >= ticket) return note_seen(ticket);
  const auto over = [&] { return completed() >= ticket || interrupt_requested.load(); };
  // The core that this thread keeps busy is one that the work could use.
  HostParallelism* const host = backend_.host_parallelism();
  if (!(host ? host->parallel().help_until(kSpin, over) : spin_until(kSpin, over))) {
    std::unique_lock lock(sleep_mutex_);
    ++waiting_;
    // An interrupt comes from a signal handler, which cannot notify: look for it now and then.
    while (!over()) done_.wait_for(lock, kLook);
    --waiting_;
  }
  if (completed() < ticket) throw Interrupted();
  note_seen(ticket);
}

void Queue::wait_uninterrupted(uint64_t ticket) {
  const auto over = [&] { return completed() >= ticket; };
  if (!over() && !spin_until(kSpin, over)) {
    std::unique_lock lock(sleep_mutex_);
    ++waiting_;
    done_.wait(lock, over);
    --waiting_;
  }
  if (!runs_queue) note_seen(ticket);
}

bool Queue::wait_uninterrupted(uint64_t ticket, std::chrono::duration<double> most) {
  const auto over = [&] { return completed() >= ticket; };
  if (over() || spin_until(kSpin, over)) return true;
  std::unique_lock lock(sleep_mutex_);
  ++waiting_;
  const bool done = done_.wait_for(lock, most, over);
  --waiting_;
  return done;
}

void Queue::submit_wait_for(WorkQueue& other, uint64_t ticket) {
  submit([&](Submission& submission) {
    submission.run = [this, &followed = static_cast<Queue&>(other), ticket] {
      follow(followed, ticket);
      if (modelled::is_on()) [[unlikely]]
        time_.wait_until(followed.time_.end_of(ticket));
    };
  });
}

/// What this queue runs from now on starts after the ticket of another one. If that is one of the
/// same device, and its backend only enqueues, this one goes on at once; else it waits. What this
/// queue's own backend still works on is finished before a wait, as the other may wait for that.
void Queue::follow(Queue& other, uint64_t ticket) {
  if (other.completed() >= ticket) return;
  const bool on_device = async_ && &loss_ == &other.loss_;
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
  const auto held = hold();
  async_->follow(*other.async_, ticket);
}

void Queue::drop_pending() { drop_until_.store(submitted(), std::memory_order_release); }

/// Of work that was under way when the device was lost: the line of the oldest.
Ref<Failure> Queue::failure_of_loss(const std::string& why) const {
  const uint64_t launched = launched_, oldest = std::min(completed() + 1, launched);
  const Submission& submission = ring_[oldest % kCapacity];
  Ref<Failure> failure =
      new Failure(submission.name, submission.site, std::string(submission.name) + ": " + why);
  if (oldest < launched)
    failure->what += "; it is this op or one of the " + std::to_string(launched - oldest) +
                     " windows after it (TIDE_EAGER=1 says more)";
  return failure;
}

void Queue::execute(uint64_t ticket) {
  const Submission& submission = ring_[ticket % kCapacity];
  const bool has_addresses = submission.plan || submission.output;
  const auto held = has_addresses ? hold() : std::shared_lock<std::shared_mutex>();
  // Its addresses are from before the device was lost: its results went with that.
  if (has_addresses && submission.generation != loss_.generation())
    return runner_.fail_all(submission, loss_.failure());
  runner_.run(submission, ticket, drop_until_.load(std::memory_order_acquire) >= ticket);
}

}  // namespace tide
