// How busy the cpu and the simulated accelerators are.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tide::bindings {

/// What one process uses of one of its simulated accelerators.
struct SimShare {
  pid_t process;
  int index;
  int64_t bytes;
  double percent;  ///< of the time, that the accelerator worked
};

struct DeviceUse {
  std::optional<double>
      cpu;  ///< percent of all cores, whoever works; none: the system does not report it
  std::vector<SimShare> sims;  ///< of all processes of the user

  /// Of the accelerator `index` of all processes.
  int64_t sim_bytes(int index) const;
  double sim_percent(int index) const;
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
  std::map<std::pair<pid_t, int>, double> sims_;  ///< busy seconds by process and accelerator
};

}  // namespace tide::bindings
