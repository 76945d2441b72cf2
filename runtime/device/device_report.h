// What a device reports about itself: its properties and its current state.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tide {

/// Properties of a device.
struct DeviceProperties {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  size_t total_memory = 0;   ///< bytes
  int multiprocessors = 0;
  int warp_size = 0;
  int max_threads_per_multiprocessor = 0;
  int clock_khz = 0, memory_clock_khz = 0;
  int memory_bus_bits = 0;
  size_t l2_cache = 0;  ///< bytes
  bool ecc = false, integrated = false;
  int pci_domain = 0, pci_bus = 0, pci_device = 0;
  /// Units per multiprocessor; 0: not known.
  int float_units = 0, double_units = 0, tensor_units = 0;

  /// Floating operations per second at the clock above: units x clock, times 2 because a fused
  /// multiply-add counts as two. 0 if the units are not known.
  double peak_float() const { return per_second(float_units); }
  double peak_double() const { return per_second(double_units); }
  /// Bytes per second: bus width x memory clock, twice per clock.
  double peak_bandwidth() const { return 2.0 * memory_clock_khz * 1e3 * memory_bus_bits / 8; }

 private:
  double per_second(int units) const { return 2.0 * multiprocessors * units * clock_khz * 1e3; }
};

/// A process that uses a device.
struct DeviceProcess {
  unsigned id = 0;
  size_t bytes = 0;  ///< 0: not reported
};

/// The current state of a device, including other processes. Unreported values are missing.
struct DeviceStatus {
  std::string name;
  std::optional<unsigned> temperature;     ///< degrees Celsius
  std::optional<unsigned> fan;             ///< percent
  std::optional<unsigned> performance;     ///< 0 (fastest) to 15: "P0"
  std::optional<double> power, power_cap;  ///< watts
  std::optional<unsigned> use,
      memory_use;  ///< percent of the last moments in which kernels ran, memory was moved
  std::optional<unsigned> clock, memory_clock;  ///< MHz
  std::optional<bool> ecc;
  std::optional<unsigned> compute_mode;      ///< 0 default, 2 prohibited, 3 exclusive process
  size_t memory_used = 0, memory_total = 0;  ///< bytes
  std::vector<DeviceProcess> processes;
};

}  // namespace tide
