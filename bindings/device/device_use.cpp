// Reads the counters of the system and of the processes that use devices.
#include "bindings/device/device_use.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

#include "runtime/record/engine.h"

namespace tide::bindings {

namespace {

template <class Value>
Value sum(const std::vector<DeviceShare>& shares, Device device, Value DeviceShare::*member) {
  Value total{};
  for (const DeviceShare& share : shares)
    if (share.device == device) total += share.*member;
  return total;
}

}  // namespace

int64_t DeviceUse::bytes(Device device) const { return sum(shares, device, &DeviceShare::bytes); }

int64_t DeviceUse::queued_ops(Device device) const {
  return sum(shares, device, &DeviceShare::queued_ops);
}

double DeviceUse::percent(Device device) const {
  return std::min(sum(shares, device, &DeviceShare::percent), 100.0);
}

/// From the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
UseMeter::CpuTime UseMeter::cpu_time() {
  std::ifstream file("/proc/stat");
  std::string word;
  std::array<uint64_t, 8> times{};
  file >> word;
  for (uint64_t& time : times) file >> time;
  if (!file || word != "cpu") return {};
  CpuTime result;
  for (const uint64_t time : times) result.all += time;
  result.busy = result.all - times[3] - times[4];
  return result;
}

DeviceUse UseMeter::look() {
  DeviceUse use;
  const CpuTime cpu = cpu_time();
  if (cpu.all > cpu_.all)
    use.cpu =
        100.0 * static_cast<double>(cpu.busy - cpu_.busy) / static_cast<double>(cpu.all - cpu_.all);
  cpu_ = cpu;
  const double now = engine::seconds(), elapsed = now - time_;
  time_ = now;
  decltype(busy_) all_busy;
  for (const UsedDevice& used : used_devices()) {
    const std::tuple key{used.process, used.device.kind, used.device.index};
    const auto before = busy_.find(key);
    const double busy = before == busy_.end() ? 0 : used.busy_seconds - before->second;
    all_busy[key] = used.busy_seconds;
    use.shares.push_back({used.process, used.device, used.bytes, used.queued_ops,
                          std::clamp(100 * busy / elapsed, 0.0, 100.0)});
  }
  busy_ = std::move(all_busy);
  return use;
}

}  // namespace tide::bindings
