// What NVIDIA's management library (NVML) reports of devices, whoever uses them. Opened at run
// time, when asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/device/device_report.h"

namespace tide::cuda {

/// All devices of the machine in the order of their bus numbers, also those that
/// CUDA_VISIBLE_DEVICES hides. Empty if NVML is not there.
std::vector<DeviceStatus> device_statuses();

/// The device at this place of the PCI bus; none if NVML is not there or does not know it.
std::optional<DeviceStatus> device_status(int pci_domain, int pci_bus, int pci_device);

/// "580.65.06"; empty if NVML is not there.
std::string driver_release();

}  // namespace tide::cuda
