// Status of devices, including other processes' use of them, from NVIDIA's management library
// (NVML). Opened at run time on first use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/device/device_report.h"

namespace tide::cuda {

/// All devices of the machine in order of bus number, including those hidden by
/// CUDA_VISIBLE_DEVICES. Empty if NVML is not available.
std::vector<DeviceStatus> device_statuses();

/// The device at this PCI address; nullopt if NVML is not available or does not list it.
std::optional<DeviceStatus> device_status(int pci_domain, int pci_bus, int pci_device);

/// "580.65.06"; empty if NVML is not available.
std::string driver_release();

}  // namespace tide::cuda
