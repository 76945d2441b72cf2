#include "runtime/cuda/driver/properties.h"

#include <cstdio>
#include <cstdlib>

#include "runtime/cuda/driver/driver.h"
#include "runtime/os/environment.h"
#include "runtime/types/size_text.h"

namespace tide::cuda {
namespace {

struct Units {
  int capability, float_units, double_units, tensor_units;
};

constexpr Units kUnits[] = {{75, 64, 2, 8},    {80, 64, 32, 4},  {86, 128, 2, 4},
                            {87, 128, 2, 4},   {89, 128, 2, 4},  {90, 128, 64, 4},
                            {100, 128, 64, 4}, {103, 128, 2, 4}, {120, 128, 2, 4}};

std::string gigabytes(size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

}  // namespace

DeviceProperties device_properties(int ordinal) {
  const DeviceFacts& facts = driver_report().devices.at(static_cast<size_t>(ordinal));
  DeviceOrdinal device = 0;
  check(driver().device_get(&device, ordinal), "cuDeviceGet");
  const auto ask = [&](Attribute which) {
    int value = 0;
    check(driver().device_attribute(&value, which, device), "cuDeviceGetAttribute");
    return value;
  };
  DeviceProperties result;
  result.name = facts.name;
  result.major = facts.major;
  result.minor = facts.minor;
  result.total_memory = facts.memory;
  result.multiprocessors = ask(kMultiprocessors);
  result.warp_size = ask(kWarpSize);
  result.max_threads_per_multiprocessor = ask(kMaxThreadsPerMultiprocessor);
  result.clock_khz = ask(kClockRate);
  result.memory_clock_khz = ask(kMemoryClockRate);
  result.memory_bus_bits = ask(kMemoryBusWidth);
  result.l2_cache = static_cast<size_t>(ask(kL2CacheBytes));
  result.ecc = ask(kEccEnabled) != 0;
  result.integrated = ask(kIntegrated) != 0;
  result.pci_domain = ask(kPciDomain);
  result.pci_bus = ask(kPciBus);
  result.pci_device = ask(kPciDevice);
  for (const Units& units : kUnits)
    if (units.capability == facts.capability()) {
      result.float_units = units.float_units;
      result.double_units = units.double_units;
      result.tensor_units = units.tensor_units;
    }
  return result;
}

std::string describe_driver() {
  const DriverReport& report = driver_report();
  std::string text = "cuda: ";
  text += report.usable() ? "can be used" : "cannot be used: " + report.problem;
  if (!report.usable()) text += "\n  what to do: " + report.advice;
  text += "\n  driver: ";
  if (report.library.empty()) {
    text += "not found; searched";
    for (const std::string& path : report.searched) text += " " + path;
  } else {
    text += report.library;
    if (report.version) text += ", CUDA " + version_text(report.version);
  }
  text += "\n  needed: driver for CUDA " + version_text(kOldestDriver) +
          " (530) or newer, a GPU of compute capability 7.5 (Turing) or newer";
  if (const char* visible = environment_text(Variable::cuda_visible_devices))
    text += std::string("\n  CUDA_VISIBLE_DEVICES: \"") + visible + "\"";
  if (const size_t bytes = memory_of_environment())
    text += "\n  " + std::string(name_of(Variable::cuda_memory)) + ": at most " + size_text(bytes) +
            " of each device for tensors";
  for (const DeviceFacts& device : report.devices)
    text += "\n  cuda:" + std::to_string(device.ordinal) + ": " + device.name + ", " +
            gigabytes(device.memory) + ", compute capability " + std::to_string(device.major) +
            "." + std::to_string(device.minor) +
            (device.refusal.empty() ? "" : "; not used: " + device.refusal);
  return text;
}

}  // namespace tide::cuda
