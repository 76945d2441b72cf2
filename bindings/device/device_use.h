// How busy the devices are, and what processes hold of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "runtime/device/process_use.h"

namespace tide::bindings {

/// What one process uses of one of its devices.
struct DeviceShare {
  pid_t process;
  Device device;
  int64_t bytes, queued_ops;
  double percent;  ///< of the time, that a simulated accelerator worked
};

struct DeviceUse {
  std::optional<double>
      cpu;  ///< percent of all cores, whoever works; none: the system does not report it
  std::vector<DeviceShare> shares;  ///< of all processes of the user

  /// Of all processes.
  int64_t bytes(Device device) const;
  int64_t queued_ops(Device device) const;
  double percent(Device device) const;
};

/// Measures use between two looks.
class UseMeter {
 public:
  UseMeter() { look(); }
  /// What was used since the last look, or the beginning.
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
