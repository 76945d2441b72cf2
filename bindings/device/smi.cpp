// tide.smi: a table of the devices like nvidia-smi's, and figures for `tide smi dmon`.
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include "bindings/device/device_use.h"
#include "bindings/device/functions.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/fields.h"
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

/// The status of all devices in the machine that report it.
std::vector<DeviceStatus> device_statuses() {
  std::vector<DeviceStatus> all;
  for (const DeviceKind kind : kDeviceKinds)
    for (DeviceStatus& status : platform(kind).statuses()) all.push_back(std::move(status));
  return all;
}

/// The measurement time of a table.
constexpr std::chrono::milliseconds kLook{200};

std::optional<double> busy_percent(Device device, const DeviceUse& use) {
  return device.is_host() ? use.cpu : use.percent(device);
}

/// The cpu and the simulated accelerators.
std::string host_rows(const DeviceUse& use) {
  std::string text;
  for (Device device : engine::devices()) {
    if (!capabilities(device).runs_on_host) continue;
    const auto memory = engine::memory(device);
    text += row(device.name(), platform(device.kind).name(device.index), {},
                memory_text(static_cast<size_t>(use.bytes(device)), memory.limit),
                or_dash(busy_percent(device, use), "%.0f%%"));
  }
  return text;
}

std::string sim_processes_text(const DeviceUse& use) {
  std::string text;
  for (const DeviceShare& share : use.shares)
    if (capabilities(share.device).runs_on_host && !share.device.is_host() &&
        (share.bytes > 0 || share.percent > 0))
      text += text_of("  %s  process %d  %s  %.0f%%\n", share.device.name().c_str(), share.process,
                      memory_text(static_cast<size_t>(share.bytes), 0).c_str(), share.percent);
  return text;
}

std::string smi() {
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
      text += problem + "\n";
  text += "ops queued by this process: " + std::to_string(engine::pending_ops());
  return text;
}

/// Sets a field, if there is a value.
template <class Value>
void set_figure(lua_State* L, const char* name, const std::optional<Value>& value) {
  if (value) set_field(L, name, static_cast<double>(*value));
}

/// Begins the table of a device.
void begin_device(lua_State* L, const std::string& name, int64_t memory, int64_t queued) {
  lua_createtable(L, 0, 10);
  set_field(L, "name", name);
  set_field(L, "memory", memory);
  set_field(L, "queue", queued);
}

}  // namespace

int device_figures(lua_State* L) {
  thread_local UseMeter meter;
  const DeviceUse use = meter.look();
  lua_newtable(L);
  lua_Integer count = 0;
  const auto statuses = device_statuses();
  for (size_t i = 0; i < statuses.size(); ++i) {
    const DeviceStatus& status = statuses[i];
    const Device device{DeviceKind::cuda, static_cast<uint8_t>(i)};
    begin_device(L, std::to_string(i), static_cast<int64_t>(status.memory_used),
                 use.queued_ops(device));
    set_field(L, "total", status.memory_total);
    set_figure(L, "power", status.power);
    set_figure(L, "temperature", status.temperature);
    set_figure(L, "use", status.use);
    set_figure(L, "memory_use", status.memory_use);
    set_figure(L, "memory_clock", status.memory_clock);
    set_figure(L, "clock", status.clock);
    lua_rawseti(L, -2, ++count);
  }
  for (Device device : engine::devices()) {
    if (!capabilities(device).runs_on_host) continue;
    begin_device(L, device.name(), use.bytes(device), use.queued_ops(device));
    if (const size_t limit = engine::memory(device).limit) set_field(L, "total", limit);
    set_figure(L, "use", busy_percent(device, use));
    lua_rawseti(L, -2, ++count);
  }
  return 1;
}

namespace {

constexpr Function kSmiFunctions[] = {
    typed_function<smi, "smi", "">("A table of the devices as text: temperature, power, memory, "
                                   "use and processes of GPUs, use "
                                   "of "
                                   "the cpu and of simulated accelerators, their use by all "
                                   "processes of the user, and the ops "
                                   "queued by this process; measures for 0.2 s",
                                   "type(tide.smi()) --> \"string\""),
};

}  // namespace

std::span<const Function> smi_functions() { return kSmiFunctions; }

}  // namespace tide::bindings
