// What NVIDIA's management library (NVML) reports of devices, whoever uses them. Opened at run
// time, when asked for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tide::cuda {

/// A process that computes on a device.
struct DeviceProcess {
  unsigned id = 0;
  size_t bytes = 0;  ///< 0: not reported
};

/// The state of a device now. What the device does not report it is missing.
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

/// All devices of the machine in the order of their bus numbers, also those that
/// CUDA_VISIBLE_DEVICES hides. Empty if NVML is not there.
std::vector<DeviceStatus> device_statuses();

/// The device at this place of the PCI bus; none if NVML is not there or does not know it.
std::optional<DeviceStatus> device_status(int pci_domain, int pci_bus, int pci_device);

/// "580.65.06"; empty if NVML is not there.
std::string driver_release();

}  // namespace tide::cuda
