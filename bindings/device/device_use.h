// The utilization of devices, and their use by processes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "runtime/device/process_use.h"

namespace tide::bindings {

/// The use of one device by one process.
struct DeviceShare {
  pid_t process;
  Device device;
  int64_t bytes, queued_ops;
  double percent;  ///< of the time in which a simulated accelerator worked
};

struct DeviceUse {
  std::optional<double>
      cpu;  ///< percent of all cores, by all processes; none if the system does not report it
  std::vector<DeviceShare> shares;  ///< of all processes of the user

  /// The total over all processes.
  int64_t bytes(Device device) const;
  int64_t queued_ops(Device device) const;
  double percent(Device device) const;
};

/// Measures the utilization between two calls of look.
class UseMeter {
 public:
  UseMeter() { look(); }
  /// The utilization since the last call, or since construction.
  DeviceUse look();

 private:
  struct CpuTime {
    uint64_t busy = 0, all = 0;
  };
  static CpuTime cpu_time();

  CpuTime cpu_;
  double time_ = 0;
  /// Busy seconds by process and device.
  std::map<std::tuple<pid_t, DeviceKind, uint8_t>, double> busy_;
};

}  // namespace tide::bindings
