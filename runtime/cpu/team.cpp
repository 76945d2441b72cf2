// Hands parts of a range to libgomp's threads.
#include "runtime/cpu/team.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>

#include "runtime/core/error.h"

namespace tide {
namespace {

using Body = std::function<void(int64_t begin, int64_t end)>;

/// What the leader hands to the team. It lives on the leader's stack while the team runs.
struct Job {
  Job(const Body* body, int64_t n) : body(body), n(n) {}

  const Body* body;
  int64_t n;
  std::atomic<int> finished{0};
  std::mutex error_mutex;
  std::exception_ptr error;
};

// The job goes through this one pair of a release and an acquire, and back through
// Job::finished, instead of through the variables that OpenMP shares: the thread sanitizer does
// not see libgomp's own barriers.
std::atomic<Job*> current_job{nullptr};

/// True on a thread that runs a body now.
thread_local bool inside_body = false;

void run_part(Job& job, int part, int parts) {
  const int64_t begin = job.n * part / parts, end = job.n * (part + 1) / parts;
  inside_body = true;
  try {
    if (begin < end) (*job.body)(begin, end);
  } catch (...) {
    std::lock_guard lock(job.error_mutex);
    if (!job.error) job.error = std::current_exception();
  }
  inside_body = false;
  job.finished.fetch_add(1, std::memory_order_release);
}

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
  if (const char* text = std::getenv("TIDE_NUM_THREADS")) {
    int count = 0;
    const char* end = text + std::strlen(text);
    if (std::from_chars(text, end, count).ptr == end && count >= 1)
      return std::min(count, Team::kMaxThreads);
  }
  const int quota = quota_count();
  const int allowed = quota ? std::min(quota, affinity_count()) : affinity_count();
  return std::clamp(allowed, 1, Team::kMaxThreads);
}

Team::Team(int threads) { set_threads(threads); }

void Team::set_threads(int threads) {
  if (threads < 1 || threads > kMaxThreads)
    throw Error("set_num_threads: the number of threads must be 1 to " +
                std::to_string(kMaxThreads) + ": " + std::to_string(threads));
  threads_ = threads;
}

void Team::for_range(int64_t n, int64_t grain, const Body& body) {
  if (n <= 0) return;
  const int parts = static_cast<int>(std::min<int64_t>(threads_, n / std::max<int64_t>(grain, 1)));
  if (parts <= 1 || inside_body) return body(0, n);
  Job job(&body, n);
  current_job.store(&job, std::memory_order_release);
#pragma omp parallel num_threads(parts) default(none) shared(current_job)
  run_part(*current_job.load(std::memory_order_acquire), omp_get_thread_num(),
           omp_get_num_threads());
  // libgomp's barrier has let the leader through, so all have finished; this read takes over what
  // they wrote.
  (void)job.finished.load(std::memory_order_acquire);
  if (job.error) std::rethrow_exception(job.error);
}

void SingleThread::for_range(int64_t n, int64_t, const Body& body) {
  if (n > 0) body(0, n);
}

}  // namespace tide
