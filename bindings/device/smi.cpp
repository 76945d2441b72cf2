// tide.smi: a table of the devices, as people know it from nvidia-smi; and `tide smi dmon`.
#include <chrono>
#include <cstdio>
#include <thread>

#include "bindings/device/functions.h"
#include "bindings/ops/call.h"
#include "bindings/support/entry.h"
#include "runtime/codegen/kernel.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/nvml.h"
#include "runtime/graph/engine.h"

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

std::string row(const std::string& device, const std::string& name,
                const cuda::DeviceStatus& status, const std::string& memory,
                const std::string& use) {
  const std::string power =
      status.power ? text_of("%.0f", *status.power) + or_dash(status.power_cap, " / %.0f W") : "-";
  return text_of(kRow, device.c_str(), name.substr(0, 30).c_str(),
                 or_dash(status.temperature, "%u C").c_str(), or_dash(status.fan, "%u%%").c_str(),
                 or_dash(status.performance, "P%u").c_str(), power.c_str(), memory.c_str(),
                 use.c_str());
}

/// This process's devices: their memory in tensors, and what is queued.
std::string own_rows() {
  std::string text;
  for (Device device : engine::devices()) {
    if (device.kind == DeviceKind::cuda) continue;
    const auto memory = engine::memory(device);
    const std::string name = device.kind == DeviceKind::cpu
                                 ? std::to_string(engine::threads()) + " threads, " + kernel_cpu()
                                 : "simulated accelerator";
    text += row(device.name(), name, {}, memory_text(memory.in_use, memory.limit), "-");
  }
  return text;
}

std::string table() {
  const auto statuses = cuda::device_statuses();
  const cuda::DriverReport& report = cuda::driver_report();
  const std::string release = cuda::driver_release();
  std::string text = "tide smi    driver " + (release.empty() ? "none" : release) + "    CUDA " +
                     (report.version ? cuda::version_text(report.version) : "none") + "\n" + kRule +
                     "\n";
  text += text_of(kRow, "device", "name", "temp", "fan", "perf", "power", "memory", "use");
  text += kRule + "\n";
  std::string processes;
  for (size_t i = 0; i < statuses.size(); ++i) {
    const cuda::DeviceStatus& status = statuses[i];
    text += row("gpu " + std::to_string(i), status.name, status,
                memory_text(status.memory_used, status.memory_total), or_dash(status.use, "%u%%"));
    for (const cuda::DeviceProcess& process : status.processes)
      processes +=
          text_of("  gpu %zu  process %u  %s\n", i, process.id,
                  process.bytes ? memory_text(process.bytes, 0).c_str() : "memory not told");
  }
  text += own_rows() + kRule + "\n";
  if (!statuses.empty())
    text += "processes that compute:\n" + (processes.empty() ? "  none\n" : processes);
  if (!report.usable())
    text += "CUDA cannot be used: " + report.problem + "; `tide info` tells more\n";
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
  lua_Integer times = -1;
  int is_number = 1;
  if (!lua_isnoneornil(L, 1)) times = lua_tointegerx(L, 1, &is_number);
  if (!is_number) throw ArgumentError("smi dmon: expected how many times to print");
  for (int64_t i = 0; times < 0 || i < times; ++i) {
    if (i) std::this_thread::sleep_for(std::chrono::seconds(1));
    if (i % 20 == 0) print_monitor_head();
    const auto statuses = cuda::device_statuses();
    for (size_t d = 0; d < statuses.size(); ++d) {
      const cuda::DeviceStatus& s = statuses[d];
      std::printf(kMonitorRow, std::to_string(d).c_str(), or_dash(s.power, "%.0f").c_str(),
                  or_dash(s.temperature, "%u").c_str(), or_dash(s.use, "%u").c_str(),
                  or_dash(s.memory_use, "%u").c_str(), or_dash(s.memory_clock, "%u").c_str(),
                  or_dash(s.clock, "%u").c_str(),
                  text_of("%.0f", megabytes(s.memory_used)).c_str());
    }
    for (Device device : engine::devices()) {
      if (device.kind == DeviceKind::cuda) continue;
      std::printf(kMonitorRow, device.name().c_str(), "-", "-", "-", "-", "-", "-",
                  text_of("%.0f", megabytes(engine::memory(device).in_use)).c_str());
    }
    std::fflush(stdout);
  }
  return 0;
}

namespace {

constexpr Function kFunctions[] = {
    {"smi", guard<smi>, "",
     "A table of the devices as text: temperature, power, memory, use and processes of GPUs, and "
     "what this process "
     "holds and has queued",
     "type(tide.smi()) --> \"string\""},
};

}  // namespace

std::span<const Function> smi_functions() { return kFunctions; }

}  // namespace tide::bindings
