// A device that counts its calls, instead of the cpu.
#pragma once

#include <atomic>
#include <cstdint>

namespace tide::test {

/// The calls of a device so far.
struct DeviceLog {
  std::atomic<int64_t> streams{0}, loops{0}, computes{0}, copies{0};
  std::atomic<int64_t> bytes{0};  ///< allocated and not released
};

/// The log of the device that takes the place of the cpu; null: the cpu itself is used.
const DeviceLog* log_of_cpu();

}  // namespace tide::test
