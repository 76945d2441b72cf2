// The one place that knows which kinds of devices this build has, and who runs their work.
#include "runtime/core/error.h"
#include "runtime/cpu/host_backend.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cuda/launch/cuda_backend.h"
#include "runtime/device/backend.h"
#include "runtime/execute/plan_flusher.h"
#include "runtime/execute/queue.h"
#include "runtime/record/engine.h"

namespace tide {

Team& cpu_team() {
  static Team& team = *new Team;  // the leader's thread may outlive static objects
  return team;
}

std::vector<Device> present_devices() {
  std::vector<Device> devices{{DeviceKind::cpu, 0}};
  for (int i = 0; i < sim_count(); ++i)
    devices.push_back({DeviceKind::sim, static_cast<uint8_t>(i)});
  for (const cuda::DeviceFacts& facts : cuda::driver_report().devices)
    if (facts.refusal.empty())
      devices.push_back({DeviceKind::cuda, static_cast<uint8_t>(facts.ordinal)});
  return devices;
}

bool is_present(Device device) {
  switch (device.kind) {
    case DeviceKind::cpu:
      return true;
    case DeviceKind::sim:
      return device.index < sim_count();
    case DeviceKind::cuda:
      return cuda::is_usable(device.index);
  }
  return false;
}

std::unique_ptr<Backend> make_backend(Device device) {
  switch (device.kind) {
    case DeviceKind::cpu:
      return std::make_unique<HostBackend>(
          std::shared_ptr<Parallel>(std::shared_ptr<void>(), &cpu_team()));
    case DeviceKind::sim:
      if (device.index < sim_count()) return std::make_unique<SimBackend>(device.index);
      return nullptr;
    case DeviceKind::cuda:
      cuda::warn_if_broken();
      if (!is_present(device)) return nullptr;
      return std::make_unique<cuda::CudaBackend>(device.index, compute_function);
  }
  return nullptr;
}

std::unique_ptr<WorkQueue> make_queue(Stream& stream) {
  DeviceState& device = stream.device;
  return std::make_unique<Queue>(
      stream.backend, device.failures, device.loss,
      [&stream](uint64_t work) { stream.device.trim_unused(stream, work); },
      device.device.name() + (stream.number ? " " + std::to_string(stream.number) : ""));
}

std::unique_ptr<Flusher> make_flusher(Window& window) {
  return std::make_unique<PlanFlusher>(window);
}

int engine::threads() { return cpu_team().threads(); }

void engine::set_threads(int count) {
  // The team belongs to the queue's thread, so it changes between two of its steps.
  synchronize(Device{}, "set_num_threads");
  cpu_team().set_threads(count);
}

}  // namespace tide
