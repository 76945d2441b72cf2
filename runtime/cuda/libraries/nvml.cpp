#include "runtime/cuda/libraries/nvml.h"

#include <dlfcn.h>

#include <cstdio>

#include "runtime/cuda/libraries/libraries.h"

namespace tide::cuda {
namespace {

using Device = struct DeviceHandle*;  ///< nvmlDevice_t
struct MemoryInfo {
  unsigned long long total, available, used;
};
struct Utilization {
  unsigned gpu, memory;
};
struct ProcessInfo {
  unsigned id;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
};

constexpr int kNvmlSuccess = 0;
constexpr int kGpuTemperature = 0, kSmClock = 1, kMemoryClock = 2;
constexpr unsigned long long kNotReported = ~0ull;

#define TIDE_NVML(X)                                                                         \
  X(init, "nvmlInit_v2", ())                                                                 \
  X(driver_version, "nvmlSystemGetDriverVersion", (char* text, unsigned size))               \
  X(count, "nvmlDeviceGetCount_v2", (unsigned* count))                                       \
  X(by_index, "nvmlDeviceGetHandleByIndex_v2", (unsigned index, Device* device))             \
  X(by_bus, "nvmlDeviceGetHandleByPciBusId_v2", (const char* bus_id, Device* device))        \
  X(name, "nvmlDeviceGetName", (Device device, char* text, unsigned size))                   \
  X(memory, "nvmlDeviceGetMemoryInfo", (Device device, MemoryInfo * memory))                 \
  X(utilization, "nvmlDeviceGetUtilizationRates", (Device device, Utilization * use))        \
  X(temperature, "nvmlDeviceGetTemperature", (Device device, int sensor, unsigned* degrees)) \
  X(power, "nvmlDeviceGetPowerUsage", (Device device, unsigned* milliwatts))                 \
  X(power_cap, "nvmlDeviceGetEnforcedPowerLimit", (Device device, unsigned* milliwatts))     \
  X(fan, "nvmlDeviceGetFanSpeed", (Device device, unsigned* percent))                        \
  X(performance, "nvmlDeviceGetPerformanceState", (Device device, unsigned* state))          \
  X(clock, "nvmlDeviceGetClockInfo", (Device device, int which, unsigned* megahertz))        \
  X(ecc, "nvmlDeviceGetEccMode", (Device device, unsigned* now, unsigned* pending))          \
  X(compute_mode, "nvmlDeviceGetComputeMode", (Device device, unsigned* mode))               \
  X(processes, "nvmlDeviceGetComputeRunningProcesses_v3",                                    \
    (Device device, unsigned* count, ProcessInfo* infos))

struct Table {
#define TIDE_MEMBER(member, name, parameters) int(*member) parameters = nullptr;
  TIDE_NVML(TIDE_MEMBER)
#undef TIDE_MEMBER
};

/// Null unless the library is found, complete and initialized.
const Table* find_table() {
  void* library = open_library(Library::nvml);
  if (!library) return nullptr;
  static Table table;
  bool complete = true;
#define TIDE_FIND(member, name, parameters)                                      \
  table.member = reinterpret_cast<decltype(table.member)>(dlsym(library, name)); \
  complete = complete && table.member;
  TIDE_NVML(TIDE_FIND)
#undef TIDE_FIND
  return complete && table.init() == kNvmlSuccess ? &table : nullptr;
}

const Table* nvml() {
  static const Table* const table = find_table();
  return table;
}

std::vector<DeviceProcess> processes_of(Device device) {
  std::vector<ProcessInfo> infos(256);
  auto count = static_cast<unsigned>(infos.size());
  if (nvml()->processes(device, &count, infos.data()) != kNvmlSuccess) return {};
  std::vector<DeviceProcess> processes;
  for (unsigned i = 0; i < count && i < infos.size(); ++i)
    processes.push_back(
        {infos[i].id, infos[i].bytes == kNotReported ? 0 : static_cast<size_t>(infos[i].bytes)});
  return processes;
}

DeviceStatus status_of(Device device) {
  const Table& api = *nvml();
  DeviceStatus status;
  char name[128] = "";
  if (api.name(device, name, sizeof name) == kNvmlSuccess) status.name = name;
  MemoryInfo memory{};
  if (api.memory(device, &memory) == kNvmlSuccess) {
    status.memory_used = memory.used;
    status.memory_total = memory.total;
  }
  Utilization use{};
  if (api.utilization(device, &use) == kNvmlSuccess) {
    status.use = use.gpu;
    status.memory_use = use.memory;
  }
  unsigned value = 0, other = 0;
  if (api.temperature(device, kGpuTemperature, &value) == kNvmlSuccess) status.temperature = value;
  if (api.power(device, &value) == kNvmlSuccess) status.power = value / 1e3;
  if (api.power_cap(device, &value) == kNvmlSuccess) status.power_cap = value / 1e3;
  if (api.fan(device, &value) == kNvmlSuccess) status.fan = value;
  if (api.performance(device, &value) == kNvmlSuccess) status.performance = value;
  if (api.clock(device, kSmClock, &value) == kNvmlSuccess) status.clock = value;
  if (api.clock(device, kMemoryClock, &value) == kNvmlSuccess) status.memory_clock = value;
  if (api.ecc(device, &value, &other) == kNvmlSuccess) status.ecc = value != 0;
  if (api.compute_mode(device, &value) == kNvmlSuccess) status.compute_mode = value;
  status.processes = processes_of(device);
  return status;
}

}  // namespace

std::vector<DeviceStatus> device_statuses() {
  std::vector<DeviceStatus> statuses;
  unsigned count = 0;
  if (!nvml() || nvml()->count(&count) != kNvmlSuccess) return statuses;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    // A device that has fallen off the bus keeps its index.
    statuses.push_back(nvml()->by_index(i, &device) == kNvmlSuccess ? status_of(device)
                                                                    : DeviceStatus{});
  }
  return statuses;
}

std::optional<DeviceStatus> device_status(int pci_domain, int pci_bus, int pci_device) {
  char bus_id[32];
  std::snprintf(bus_id, sizeof bus_id, "%08X:%02X:%02X.0", static_cast<unsigned>(pci_domain),
                static_cast<unsigned>(pci_bus), static_cast<unsigned>(pci_device));
  Device device = nullptr;
  if (!nvml() || nvml()->by_bus(bus_id, &device) != kNvmlSuccess) return std::nullopt;
  return status_of(device);
}

std::string driver_release() {
  char text[96] = "";
  return nvml() && nvml()->driver_version(text, sizeof text) == kNvmlSuccess ? text : "";
}

}  // namespace tide::cuda
