// tide.smi: a table of the devices, as people know it from nvidia-smi; and `tide smi dmon`.
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include "bindings/device/device_use.h"
#include "bindings/device/functions.h"
#include "bindings/ops/call.h"
#include "bindings/support/entry.h"
#include "runtime/device/registry.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

template <class... Values>
std::string text_of(const char* form, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

template <class Value>
std::string or_dash(const std::optional<Value>& value, const char* form) {
  return value ? text_of(form, *value) : "-";
}

double megabytes(size_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

std::string memory_text(size_t used, size_t total) {
  if (!total) return text_of("%.0f MB", megabytes(used));
  return text_of("%.0f / %.0f MB", megabytes(used), megabytes(total));
}

constexpr const char* kRow = "| %-8s %-30s | %5s %4s %4s %13s | %21s | %5s |\n";
const std::string kRule(105, '-');

std::string row(const std::string& device, const std::string& name, const DeviceStatus& status,
                const std::string& memory, const std::string& use) {
  const std::string power =
      status.power ? text_of("%.0f", *status.power) + or_dash(status.power_cap, " / %.0f W") : "-";
  return text_of(kRow, device.c_str(), name.substr(0, 30).c_str(),
                 or_dash(status.temperature, "%u C").c_str(), or_dash(status.fan, "%u%%").c_str(),
                 or_dash(status.performance, "P%u").c_str(), power.c_str(), memory.c_str(),
                 use.c_str());
}

/// The state of all devices in the machine that report one.
std::vector<DeviceStatus> device_statuses() {
  std::vector<DeviceStatus> all;
  for (const DeviceKind kind : kDeviceKinds)
    for (DeviceStatus& status : platform(kind).statuses()) all.push_back(std::move(status));
  return all;
}

/// How long a table looks at what works.
constexpr std::chrono::milliseconds kLook{200};

/// The memory of this process's tensors on the cpu, that of all processes on a simulated
/// accelerator.
size_t held_bytes(Device device, const DeviceUse& use) {
  return device.is_host() ? engine::memory(device).in_use
                          : static_cast<size_t>(use.sim_bytes(device.index));
}

std::optional<double> busy_percent(Device device, const DeviceUse& use) {
  return device.is_host() ? use.cpu : use.sim_percent(device.index);
}

/// The cpu and the simulated accelerators.
std::string host_rows(const DeviceUse& use) {
  std::string text;
  for (Device device : engine::devices()) {
    if (!capabilities(device).runs_on_host) continue;
    const auto memory = engine::memory(device);
    text += row(device.name(), platform(device.kind).name(device.index), {},
                memory_text(held_bytes(device, use), memory.limit),
                or_dash(busy_percent(device, use), "%.0f%%"));
  }
  return text;
}

std::string sim_processes_text(const DeviceUse& use) {
  std::string text;
  for (const SimShare& share : use.sims)
    if (share.bytes > 0 || share.percent > 0)
      text += text_of("  sim:%d  process %d  %s  %.0f%%\n", share.index, share.process,
                      memory_text(static_cast<size_t>(share.bytes), 0).c_str(), share.percent);
  return text;
}

std::string table() {
  UseMeter meter;
  std::this_thread::sleep_for(kLook);
  const DeviceUse use = meter.look();
  const auto statuses = device_statuses();
  std::string text = "tide smi";
  for (const DeviceKind kind : kDeviceKinds)
    if (const std::string versions = platform(kind).versions(); !versions.empty())
      text += "    " + versions;
  text += "\n" + kRule + "\n";
  text += text_of(kRow, "device", "name", "temp", "fan", "perf", "power", "memory", "use");
  text += kRule + "\n";
  std::string processes;
  for (size_t i = 0; i < statuses.size(); ++i) {
    const DeviceStatus& status = statuses[i];
    text += row("gpu " + std::to_string(i), status.name, status,
                memory_text(status.memory_used, status.memory_total), or_dash(status.use, "%u%%"));
    for (const DeviceProcess& process : status.processes)
      processes +=
          text_of("  gpu %zu  process %u  %s\n", i, process.id,
                  process.bytes ? memory_text(process.bytes, 0).c_str() : "memory not reported");
  }
  text += host_rows(use) + kRule + "\n";
  processes += sim_processes_text(use);
  if (!statuses.empty() || !processes.empty())
    text += "processes that compute:\n" + (processes.empty() ? "  none\n" : processes);
  for (const DeviceKind kind : kDeviceKinds)
    if (const std::string problem = platform(kind).problem(); !problem.empty())
      text += problem + "; `tide info` says more\n";
  text += "ops queued by this process: " + std::to_string(engine::pending_ops());
  return text;
}

int smi(lua_State* L) {
  const std::string text = table();
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

constexpr const char* kMonitorRow = "%5s %6s %6s %6s %6s %8s %8s %10s\n";

void print_monitor_head() {
  std::printf(kMonitorRow, "# gpu", "pwr W", "temp C", "sm %", "mem %", "mclk MHz", "pclk MHz",
              "used MB");
}

}  // namespace

int monitor_devices(lua_State* L) {
  const bool bounded = !lua_isnoneornil(L, 1);
  int is_number = 1;
  const lua_Integer times = bounded ? lua_tointegerx(L, 1, &is_number) : 0;
  if (!is_number || times < 0) throw ArgumentError("smi dmon: expected how many times to print");
  UseMeter meter;
  for (int64_t i = 0; !bounded || i < times; ++i) {
    std::this_thread::sleep_for(i ? std::chrono::seconds(1) : kLook);
    const DeviceUse use = meter.look();
    if (i % 20 == 0) print_monitor_head();
    const auto statuses = device_statuses();
    for (size_t d = 0; d < statuses.size(); ++d) {
      const DeviceStatus& s = statuses[d];
      std::printf(kMonitorRow, std::to_string(d).c_str(), or_dash(s.power, "%.0f").c_str(),
                  or_dash(s.temperature, "%u").c_str(), or_dash(s.use, "%u").c_str(),
                  or_dash(s.memory_use, "%u").c_str(), or_dash(s.memory_clock, "%u").c_str(),
                  or_dash(s.clock, "%u").c_str(),
                  text_of("%.0f", megabytes(s.memory_used)).c_str());
    }
    for (Device device : engine::devices()) {
      if (!capabilities(device).runs_on_host) continue;
      std::printf(kMonitorRow, device.name().c_str(), "-", "-",
                  or_dash(busy_percent(device, use), "%.0f").c_str(), "-", "-", "-",
                  text_of("%.0f", megabytes(held_bytes(device, use))).c_str());
    }
    std::fflush(stdout);
  }
  return 0;
}

namespace {

constexpr Function kFunctions[] = {
    {"smi", guard<smi>, "",
     "A table of the devices as text: temperature, power, memory, use and processes of GPUs, use "
     "of "
     "the cpu, use and memory of simulated accelerators in all processes of the user, and what "
     "this "
     "process has queued; looks for 0.2 s",
     "type(tide.smi()) --> \"string\""},
};

}  // namespace

std::span<const Function> smi_functions() { return kFunctions; }

}  // namespace tide::bindings
