// What processes use of their devices, for each other to see.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "runtime/core/device.h"

namespace tide {

/// What this process uses of one device: memory that it took from it, ops that are queued, and, of
/// a simulated accelerator, the time that its core and link have worked so far.
struct ProcessUse {
  std::atomic<int64_t> bytes{0}, queued_ops{0}, busy_nanoseconds{0};
};

/// That of a device (0 to 63 of its kind). It lies in a file of $XDG_RUNTIME_DIR/tide, else
/// /tmp/tide-UID, that other processes of the user read, where such a file can be had. A lock on it
/// says that the process lives.
ProcessUse& process_use(Device device);

/// What a process of the user uses of one of its devices.
struct UsedDevice {
  pid_t process;
  Device device;
  int64_t bytes, queued_ops;
  double busy_seconds;
};

/// The devices of all living processes of the user that have used any, this one among them. Files
/// of those that have died are removed, as by the first process_use of a process.
std::vector<UsedDevice> used_devices();

/// Adds the time that it lives to the use.
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
