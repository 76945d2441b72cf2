// The rows of the cpu and of simulated accelerators in the table of kinds.
#include "runtime/cpu/host_platform.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "runtime/codegen/machine_code.h"
#include "runtime/codegen/object_cache.h"
#include "runtime/cpu/planes/prepared_weight.h"
#include "runtime/cpu/sim_backend.h"
#include "runtime/os/environment.h"

namespace tide {
namespace {

int sim_count() { return static_cast<int>(environment_number(Variable::sim_devices, 2, 0, 64)); }

/// The folder of compiled kernels, its size and its limit.
std::string describe_cache() {
  const ObjectCache& cache = object_cache();
  if (cache.path().empty()) return "kernel cache: disabled: " + cache.problem();
  const CacheUse use = cache.use();
  char text[128];
  std::snprintf(text, sizeof text, ": %lld files, %.1f of %.1f MB (TIDE_CACHE_LIMIT)",
                static_cast<long long>(use.files), static_cast<double>(use.bytes) / (1 << 20),
                static_cast<double>(cache.limit()) / (1 << 20));
  return "kernel cache: " + cache.path() + text;
}

}  // namespace

Team& cpu_team() {
  static Team& team = *new Team;  // the leader's thread may outlive static objects
  return team;
}

const Platform& host_platform() {
  static const Platform row{
      .capabilities = {.channels_last = true, .finishing_loops = true},
      .devices = [] { return std::vector<uint8_t>{0}; },
      .make_device = [](uint8_t) -> std::unique_ptr<DeviceBackend> {
        return std::make_unique<HostDevice>(cpu_team());
      },
      .prepared_size = prepared_weight_size,
      .name =
          [](uint8_t) {
            return std::to_string(cpu_team().threads()) + " threads, " + kernel_cpu();
          },
      .has_library = [](uint8_t, ComputeOp op) { return host_has_library(op); },
      .description =
          [] {
            return "cpu: " + std::to_string(cpu_team().threads()) + " threads, kernels for " +
                   kernel_cpu() + "\n" + describe_cache();
          },
      .kernel_cache_folder = [] { return object_cache().path(); },
      .threads = [] { return cpu_team().threads(); },
      .set_threads = [](int count) { cpu_team().set_threads(count); }};
  return row;
}

const Platform& sim_platform() {
  static const Platform row{
      .capabilities = {.channels_last = true, .pins_host_memory = true},
      .devices =
          [] {
            std::vector<uint8_t> numbers(static_cast<size_t>(sim_count()));
            std::iota(numbers.begin(), numbers.end(), uint8_t{0});
            return numbers;
          },
      .make_device = [](uint8_t index) -> std::unique_ptr<DeviceBackend> {
        return std::make_unique<SimDevice>(index);
      },
      .prepared_size = prepared_weight_size,
      .name = [](uint8_t) { return std::string("simulated accelerator"); },
      .has_library = [](uint8_t, ComputeOp op) { return host_has_library(op); }};
  return row;
}

}  // namespace tide
