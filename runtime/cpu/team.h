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

/// How many threads this process should compute with: TIDE_NUM_THREADS if that is a number, else
/// what the affinity mask and the cgroup's CPU quota allow; at least 1.
int default_thread_count();

/// Threads that share out ranges. Each thread begins with a part of the range of its own, the same
/// in each range, so that it finds in its core's caches what it left there; it takes that chunk by
/// chunk, and then chunks of the others' parts. So the leader never waits for a thread that the
/// system does not let run, unless that thread is in the middle of a chunk. (A team of OpenMP waits
/// for each of its threads at the end of each range, which makes ranges of 10 us last milliseconds
/// when other threads want the cores.)
class Team : public Parallel {
 public:
  using Condition = std::function<bool()>;

  explicit Team(int threads = default_thread_count());
  ~Team() override;

  /// How many a range would be shared by: one if the caller is in the middle of a range already.
  int threads() const override;
  /// Takes effect with the next call of for_range. Throws Error unless 1 <= threads <= kMaxThreads.
  void set_threads(int threads);

  /// Runs body on disjoint parts of [0, n), none shorter than `grain` unless n is, on up to
  /// threads() threads, the calling one among them; returns when all are done. A call from inside a
  /// body, or while another thread's call is under way, runs on the calling thread alone. Passes on
  /// the first exception of a body. Throws Interrupted if the step that the caller runs is dropped.
  void for_range(int64_t n, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end)>& body) override;

  /// A range is short if it has no more grains than kShortRange. The leader wakes a worker less for
  /// each thread that waits here.
  bool help_until(std::chrono::microseconds time, const Condition& condition) override;

  static constexpr int kMaxThreads = 1024;
  /// A helper cannot be interrupted in the middle of a chunk, so none may be long.
  static constexpr int64_t kShortRange = 1024;

 private:
  struct Job;
  /// What nobody has taken yet of a thread's part of a range.
  struct alignas(64) Part {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  static void take_chunks(Job& job, int own, const Condition* until);
  void join(int own, const Condition* until);
  void work(int own);
  bool add_worker();

  std::atomic<int> threads_;
  std::mutex leader_;  ///< held by the thread whose range is under way
  std::vector<std::thread> workers_;
  std::vector<Part> parts_;  ///< of the range under way: the leader's, and one of each worker
  std::atomic<Job*> job_{nullptr};
  std::atomic<uint32_t> round_{0};  ///< changes with each job: what idle workers watch
  std::atomic<int> inside_{0};      ///< threads that may hold the address of the job
  std::atomic<int> helpers_{0};     ///< threads in help_until
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
