// The device use of processes, visible to each other.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "runtime/types/device.h"

namespace tide {

/// The use of one device by this process: memory taken from it, queued ops, and, for a simulated
/// accelerator, the busy time of its core and link so far.
struct ProcessUse {
  std::atomic<int64_t> bytes{0}, queued_ops{0}, busy_nanoseconds{0};
};

/// The use of a device (0 to 63 of its kind). It is in a file of $XDG_RUNTIME_DIR/tide, else
/// /tmp/tide-UID, that other processes of the user read, if such a file can be created. A lock on
/// it shows that the process is alive.
ProcessUse& process_use(Device device);

/// The use of one device by a process of the user.
struct UsedDevice {
  pid_t process;
  Device device;
  int64_t bytes, queued_ops;
  double busy_seconds;
};

/// The devices used by all living processes of the user, including this one. Files of dead
/// processes are removed, as in the first process_use of a process.
std::vector<UsedDevice> used_devices();

/// Adds its lifetime to the busy time.
class BusyTime {
 public:
  explicit BusyTime(ProcessUse& use) : use_(use), start_(std::chrono::steady_clock::now()) {}
  ~BusyTime() {
    const auto time = std::chrono::steady_clock::now() - start_;
    use_.busy_nanoseconds.fetch_add(
        std::chrono::duration_cast<std::chrono::nanoseconds>(time).count(),
        std::memory_order_relaxed);
  }
  BusyTime(const BusyTime&) = delete;

 private:
  ProcessUse& use_;
  const std::chrono::steady_clock::time_point start_;
};

}  // namespace tide
