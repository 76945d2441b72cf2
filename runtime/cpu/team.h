// The threads that compute on the CPU.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/graph/native.h"

namespace tide {

/// How many threads this process should compute with: TIDE_NUM_THREADS if that is a number, else
/// what the affinity mask and the cgroup's CPU quota allow; at least 1.
int default_thread_count();

/// The one libgomp team of the process. All calls come from one thread, the leader: libgomp keeps a
/// pool per calling thread, and two pools slow each other down some fifty times.
class Team : public Parallel {
 public:
  explicit Team(int threads = default_thread_count());

  int threads() const override { return threads_; }
  /// Takes effect with the next call of for_range. Throws Error unless 1 <= threads <= kMaxThreads.
  void set_threads(int threads);

  /// Cuts [0, n) into at most threads() parts of nearly equal length and waits for all of them. A
  /// call from inside a body runs on the calling thread alone. Passes on the first exception of a
  /// body.
  void for_range(int64_t n, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end)>& body) override;

  static constexpr int kMaxThreads = 1024;

 private:
  int threads_;
};

/// Runs everything on the calling thread.
class SingleThread : public Parallel {
 public:
  int threads() const override { return 1; }
  void for_range(int64_t n, int64_t grain,
                 const std::function<void(int64_t begin, int64_t end)>& body) override;
};

}  // namespace tide
