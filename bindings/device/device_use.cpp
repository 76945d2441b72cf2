// Reads the counters of the system and of the processes that use simulated accelerators.
#include "bindings/device/device_use.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

#include "runtime/device/sim_use.h"
#include "runtime/record/engine.h"

namespace tide::bindings {

int64_t DeviceUse::sim_bytes(int index) const {
  int64_t bytes = 0;
  for (const SimShare& share : sims)
    if (share.index == index) bytes += share.bytes;
  return bytes;
}

double DeviceUse::sim_percent(int index) const {
  double percent = 0;
  for (const SimShare& share : sims)
    if (share.index == index) percent += share.percent;
  return std::min(percent, 100.0);
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
  std::map<std::pair<pid_t, int>, double> sims;
  for (const SimProcess& sim : sim_processes()) {
    const std::pair key{sim.process, sim.index};
    const auto before = sims_.find(key);
    const double busy = before == sims_.end() ? 0 : sim.busy_seconds - before->second;
    sims[key] = sim.busy_seconds;
    use.sims.push_back(
        {sim.process, sim.index, sim.bytes, std::clamp(100 * busy / elapsed, 0.0, 100.0)});
  }
  sims_ = std::move(sims);
  return use;
}

}  // namespace tide::bindings
