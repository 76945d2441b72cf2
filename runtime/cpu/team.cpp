// Splits ranges among threads, chunk by chunk.
#include "runtime/cpu/team.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <span>
#include <string>
#include <system_error>

#include "runtime/device/stop_check.h"
#include "runtime/os/environment.h"
#include "runtime/os/spin.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// How long a worker spins for the next range, and the leader for the last chunk.
constexpr auto kSpin = std::chrono::microseconds(50);

/// True on a thread that is running a body.
thread_local bool inside_body = false;

int affinity_count() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// CPUs that the quota in this cgroup v2 folder allows; 0 if it sets no limit.
int quota_in(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  double quota = 0, period = 0;
  if (!(file >> quota >> period) || period <= 0) return 0;
  return std::max(1, static_cast<int>(quota / period));
}

/// The smallest quota from this process's cgroup up to the root; 0 if there is none.
int quota_count() {
  std::ifstream file("/proc/self/cgroup");
  int least = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::", 0) != 0) continue;
    for (std::string path = line.substr(3);; path.erase(path.rfind('/'))) {
      if (int count = quota_in("/sys/fs/cgroup" + path))
        least = least ? std::min(least, count) : count;
      if (path.empty() || path.rfind('/') == std::string::npos) break;
    }
  }
  return least;
}

}  // namespace

int default_thread_count() {
  if (const double wanted = environment_number(Variable::num_threads, 0, 1, 1e6))
    return static_cast<int>(std::min<double>(wanted, Team::kMaxThreads));
  const int quota = quota_count();
  const int allowed = quota ? std::min(quota, affinity_count()) : affinity_count();
  return std::clamp(allowed, 1, Team::kMaxThreads);
}

namespace {

/// Limits chunks of cancellable steps, because cancellation is checked only between chunks: small
/// at first, then about 20 ms each.
class ChunkLimit {
 public:
  ChunkLimit(const StopCheck& check, int64_t length)
      : check_(check),
        most_(check.dropped_until ? std::max<int64_t>(length / kFirst, 1) : length) {}

  int64_t most() const { return most_; }

  /// Runs a chunk. Throws Interrupted if the step was dropped.
  void run(const std::function<void(int64_t begin, int64_t end)>& body, int64_t begin, int64_t end,
           bool is_last = false) {
    if (check_.is_dropped()) throw Interrupted();
    if (!check_.dropped_until || is_last) return body(begin, end);
    const auto start = Clock::now();
    body(begin, end);
    const double times = kMoment / std::max(Clock::now() - start, Clock::duration(1));
    most_ = 1 + static_cast<int64_t>(std::min(times, kMost) * static_cast<double>(end - begin));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int64_t kFirst = 256;
  static constexpr double kMost = 1e6;
  static constexpr std::chrono::duration<double> kMoment = std::chrono::milliseconds(20);
  const StopCheck& check_;
  int64_t most_;
};

/// Runs a range on the calling thread.
void run_alone(int64_t n, int64_t grain,
               const std::function<void(int64_t begin, int64_t end)>& body) {
  ChunkLimit limit(step_check, n);
  for (int64_t begin = 0, end; begin < n; begin = end) {
    const int64_t size = std::max(grain, limit.most());
    end = n - begin - size < grain ? n : begin + size;  // no chunk is shorter than the grain
    limit.run(body, begin, end, end == n);
  }
}

}  // namespace

Team::Team(int threads) { set_threads(threads); }

void Team::set_threads(int threads) {
  if (threads < 1 || threads > kMaxThreads)
    throw Error("set_num_threads: the number of threads must be between 1 and " +
                std::to_string(kMaxThreads) + ", got " + std::to_string(threads));
  threads_ = threads;
}

int Team::threads() const { return inside_body ? 1 : threads_.load(); }

/// A range in progress, on the leader's stack.
struct Team::Job {
  const std::function<void(int64_t begin, int64_t end)>* body;
  int64_t length;
  int64_t grain;
  std::span<Part> parts;
  bool is_short;
  std::atomic<int> vacancies;    ///< threads that may still join
  StopCheck check = step_check;  ///< of the leader's step
  std::mutex error_mutex = {};
  std::exception_ptr error = {};

  /// Chunks shrink towards the end of a part (guided self-scheduling): there are few of them, but
  /// all threads finish together.
  int64_t end_of_chunk(int64_t begin, int64_t end, int64_t most) const {
    const int64_t remaining = end - begin, size = std::max(grain, std::min(remaining / 2, most));
    return remaining - size < grain ? end : begin + size;
  }
};

void Team::take_chunks(Job& job, int index, const Condition* until) {
  inside_body = true;
  const size_t count = job.parts.size();
  ChunkLimit limit(job.check, job.length / static_cast<int64_t>(count));
  for (size_t i = 0; i < count; ++i) {
    Part& part = job.parts[(static_cast<size_t>(index) + i) % count];
    while (!until || !(*until)()) {
      int64_t begin = part.next.load(std::memory_order_relaxed), end;
      do end = job.end_of_chunk(begin, part.end, limit.most());
      while (!part.next.compare_exchange_weak(begin, end, std::memory_order_relaxed));
      if (begin == end) break;
      try {
        limit.run(*job.body, begin, end);
      } catch (...) {
        std::lock_guard lock(job.error_mutex);
        if (!job.error) job.error = std::current_exception();
      }
    }
  }
  inside_body = false;
}

/// Joins the current job if it accepts another thread. A helper, which has a condition, joins only
/// short jobs, and leaves when the condition holds.
void Team::join(int index, const Condition* until) {
  // The leader first clears job_ and then waits for those inside: later threads find no job.
  inside_.fetch_add(1, std::memory_order_seq_cst);
  Job* job = job_.load(std::memory_order_seq_cst);
  if (job && (job->is_short || !until) &&
      job->vacancies.fetch_sub(1, std::memory_order_relaxed) > 0) {
    const CheckedStep checked(job->check);  // ranges inside chunks check it, too
    take_chunks(*job, index, until);
  }
  inside_.fetch_sub(1, std::memory_order_seq_cst);
  if (leader_sleeps_.load(std::memory_order_seq_cst)) inside_.notify_one();
}

void Team::work(int index) {
  for (uint32_t seen = 0;;) {
    const auto called = [&] { return round_.load(std::memory_order_seq_cst) != seen; };
    // Each helper takes the place of a worker, and its core.
    const auto over = [&] { return called() || helpers_.load(std::memory_order_relaxed) >= index; };
    awake_.fetch_add(1, std::memory_order_relaxed);
    spin_until(kSpin, over);
    // Either the leader sees that this worker is not awake, or this worker sees the leader's job.
    awake_.fetch_sub(1, std::memory_order_seq_cst);
    if (!called()) round_.wait(seen, std::memory_order_acquire);
    seen = round_.load(std::memory_order_acquire);
    if (stop_) return;
    join(index, nullptr);
  }
}

bool Team::help_until(std::chrono::microseconds time, const Condition& condition) {
  if (inside_body) return spin_until(time, condition);
  helpers_.fetch_add(1, std::memory_order_seq_cst);
  bool done = false;
  for (bool called = true; called && !done;) {
    const uint32_t seen = round_.load(std::memory_order_acquire);
    join(1, &condition);
    called = spin_until(time, [&] {
      return (done = condition()) || round_.load(std::memory_order_acquire) != seen;
    });
  }
  helpers_.fetch_sub(1, std::memory_order_relaxed);
  return done;
}

/// False if the system cannot start another thread: the others then take its part.
bool Team::add_worker() {
  const int index = static_cast<int>(workers_.size()) + 1;
  try {
    workers_.emplace_back([this, index] { work(index); });
  } catch (const std::system_error&) {
    return false;
  }
  pthread_setname_np(workers_.back().native_handle(), "tide team");
  return true;
}

void Team::for_range(int64_t n, int64_t grain,
                     const std::function<void(int64_t begin, int64_t end)>& body) {
  if (n <= 0) return;
  if (step_check.is_dropped()) throw Interrupted();
  const int64_t most = n / std::max<int64_t>(grain, 1);
  const int parts = static_cast<int>(std::min<int64_t>(threads(), most));
  if (parts <= 1) return run_alone(n, grain, body);
  std::unique_lock leader(leader_, std::try_to_lock);
  if (!leader) return run_alone(n, grain, body);
  while (static_cast<int>(workers_.size()) < parts - 1 && add_worker()) {
  }
  if (parts_.size() < static_cast<size_t>(parts)) parts_ = std::vector<Part>(parts);
  for (int64_t i = 0, begin = 0; i < parts; ++i) {
    parts_[i].next.store(begin, std::memory_order_relaxed);
    parts_[i].end = begin += (n - begin) / (parts - i);
  }
  const bool is_short = most <= kShortRange;
  Job job{&body,    n,        std::max<int64_t>(grain, 1), std::span(parts_).first(parts),
          is_short, parts - 1};
  job_.store(&job, std::memory_order_seq_cst);
  round_.fetch_add(1, std::memory_order_seq_cst);
  const int helpers = is_short ? helpers_.load(std::memory_order_seq_cst) : 0;
  const int ready = helpers + awake_.load(std::memory_order_seq_cst);
  for (int i = 1 + ready; i < parts; ++i) round_.notify_one();
  take_chunks(job, 0, nullptr);
  job_.store(nullptr, std::memory_order_seq_cst);
  const auto alone = [&] { return inside_.load(std::memory_order_seq_cst) == 0; };
  if (!spin_until(kSpin, alone)) {
    leader_sleeps_.store(true, std::memory_order_seq_cst);
    while (const int others = inside_.load(std::memory_order_seq_cst)) inside_.wait(others);
    leader_sleeps_.store(false, std::memory_order_relaxed);
  }
  if (job.error) std::rethrow_exception(job.error);
}

Team::~Team() {
  stop_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void SingleThread::for_range(int64_t n, int64_t grain,
                             const std::function<void(int64_t begin, int64_t end)>& body) {
  run_alone(n, grain, body);
}

}  // namespace tide
