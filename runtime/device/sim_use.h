// What processes use of their simulated accelerators, for each other to see.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

namespace tide {

/// What this process uses of one simulated accelerator: memory, and the time that its core and link
/// have worked so far.
struct SimUse {
  std::atomic<int64_t> bytes{0}, busy_nanoseconds{0};
};

/// That of the accelerator `index` (0 to 63). It lies in a file of $XDG_RUNTIME_DIR/tide, else
/// /tmp/tide-UID, that other processes of the user read, where such a file can be had. A lock on it
/// says that the process lives.
SimUse& sim_use(int index);

/// What a process of the user uses of one of its accelerators.
struct SimProcess {
  pid_t process;
  int index;
  int64_t bytes;
  double busy_seconds;
};

/// All living processes of the user that have used a simulated accelerator, this one among them.
/// Files of those that have died are removed, as by the first sim_use of a process.
std::vector<SimProcess> sim_processes();

/// Adds the time that it lives to the use.
class BusyTime {
 public:
  explicit BusyTime(SimUse& use) : use_(use), start_(std::chrono::steady_clock::now()) {}
  ~BusyTime() {
    const auto time = std::chrono::steady_clock::now() - start_;
    use_.busy_nanoseconds.fetch_add(
        std::chrono::duration_cast<std::chrono::nanoseconds>(time).count(),
        std::memory_order_relaxed);
  }
  BusyTime(const BusyTime&) = delete;

 private:
  SimUse& use_;
  const std::chrono::steady_clock::time_point start_;
};

}  // namespace tide
