// The only source that names the kinds of devices, and the classes that run their work.
#include "runtime/device/registry.h"

#include "runtime/cpu/host_platform.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cuda/backend/cuda_platform.h"
#include "runtime/device/device_state.h"
#include "runtime/execute/queue.h"

namespace tide {

const Platform& platform(DeviceKind kind) {
  // Never destroyed: queues run until the process ends.
  static const Platform* const platforms[] = {new HostPlatform, new SimPlatform,
                                              new cuda::CudaPlatform(compute_function)};
  return *platforms[static_cast<size_t>(kind)];
}

std::vector<Device> present_devices() {
  std::vector<Device> devices;
  for (const DeviceKind kind : kDeviceKinds)
    for (const uint8_t index : platform(kind).devices()) devices.push_back({kind, index});
  return devices;
}

std::unique_ptr<WorkQueue> make_queue(Stream& stream) {
  DeviceState& device = stream.device;
  return std::make_unique<Queue>(
      stream.backend, device.failures, device.use.queued_ops,
      [&stream](uint64_t work) { stream.device.trim_unused(stream, work); },
      device.device.name() + (stream.number ? " " + std::to_string(stream.number) : ""),
      profile::StreamTrack{device.device, stream.number});
}

}  // namespace tide
