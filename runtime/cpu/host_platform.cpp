#include "runtime/cpu/host_platform.h"

#include <algorithm>
#include <cstdio>

#include "runtime/codegen/machine_code.h"
#include "runtime/codegen/object_cache.h"
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

std::unique_ptr<Backend> HostPlatform::make_backend(uint8_t) const {
  return std::make_unique<HostBackend>(
      std::shared_ptr<Parallel>(std::shared_ptr<void>(), &cpu_team()));
}

std::string HostPlatform::name(uint8_t) const {
  return std::to_string(threads()) + " threads, " + kernel_cpu();
}

std::string HostPlatform::description() const {
  return "cpu: " + std::to_string(threads()) + " threads, kernels for " + kernel_cpu() + "\n" +
         describe_cache();
}

std::string HostPlatform::kernel_cache_folder() const { return object_cache().path(); }

int HostPlatform::threads() const { return cpu_team().threads(); }

void HostPlatform::set_threads(int count) const { cpu_team().set_threads(count); }

std::vector<uint8_t> SimPlatform::devices() const {
  std::vector<uint8_t> numbers;
  for (int i = 0; i < sim_count(); ++i) numbers.push_back(static_cast<uint8_t>(i));
  return numbers;
}

bool SimPlatform::has(uint8_t index) const { return index < sim_count(); }

std::unique_ptr<Backend> SimPlatform::make_backend(uint8_t index) const {
  return has(index) ? std::make_unique<SimBackend>(index) : nullptr;
}

std::string SimPlatform::name(uint8_t) const { return "simulated accelerator"; }

}  // namespace tide
