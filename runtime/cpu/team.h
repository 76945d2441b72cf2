// The threads that compute on the CPU.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/ir/compute_op.h"

namespace tide {

/// The number of threads for this process: TIDE_NUM_THREADS if that is a number, else what the
/// affinity mask and the cgroup's CPU quota allow; at least 1.
int default_thread_count();

/// Threads that split ranges. Each thread starts with its own part, the same in each range, so that
/// its core's caches still hold the data; it takes that chunk by chunk, and then chunks of the
/// other parts. The leader thus never waits for a thread that is not scheduled, unless that is in
/// the middle of a chunk. (OpenMP waits for each thread of a team at the end of each range, so that
/// ranges of 10 us take milliseconds when other threads compete for the cores.)
class Team : public Parallel {
 public:
  using Condition = std::function<bool()>;

  explicit Team(int threads = default_thread_count());
  ~Team() override;

  /// Number of threads that would split a range: 1 if the caller is already inside one.
  int threads() const override;
  /// Takes effect with the next call of for_range. Throws Error unless 1 <= threads <= kMaxThreads.
  void set_threads(int threads);

  /// Runs body on disjoint parts of [0, n), each at least `grain` long unless n is shorter, on up
  /// to threads() threads including the caller; returns when all are done. A call from inside a
  /// body, or during another thread's call, runs on the calling thread alone. Rethrows the first
  /// exception of a body. Throws Interrupted if the caller's step is dropped.
  void for_range(int64_t n, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end)>& body) override;

  /// A range is short if it has at most kShortRange grains. A worker sleeps for each thread that
  /// waits here, and the leader wakes one fewer.
  bool help_until(std::chrono::microseconds time, const Condition& condition) override;

  static constexpr int kMaxThreads = 1024;
  /// A helper cannot be interrupted in the middle of a chunk, so chunks must not be long.
  static constexpr int64_t kShortRange = 1024;

 private:
  struct Job;
  /// The rest of a thread's part of a range, which no thread has taken yet.
  struct alignas(64) Part {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  static void take_chunks(Job& job, int index, const Condition* until);
  void join(int index, const Condition* until);
  void work(int index);
  bool add_worker();

  std::atomic<int> threads_;
  std::mutex leader_;  ///< held by the thread that runs a range
  std::vector<std::thread> workers_;
  std::vector<Part> parts_;  ///< of the current range: the leader's, and one of each worker
  std::atomic<Job*> job_{nullptr};
  std::atomic<uint32_t> round_{0};  ///< changes with each job; idle workers wait on it
  std::atomic<int> inside_{0};      ///< threads that may hold the address of the job
  std::atomic<bool> leader_sleeps_{false};
  std::atomic<int> helpers_{0};  ///< threads in help_until
  std::atomic<int> awake_{0};    ///< workers that look for the next job without sleeping
  std::atomic<bool> stop_{false};
};

/// Runs everything on the calling thread.
class SingleThread : public Parallel {
 public:
  int threads() const override { return 1; }
  void for_range(int64_t n, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end)>& body) override;
};

}  // namespace tide
