// The table of the kinds of devices.
#include "runtime/device/registry.h"

#include "runtime/cpu/host_platform.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cuda/backend/cuda_platform.h"

namespace tide {

PlatformTable& platforms() {
  static PlatformTable rows = {&host_platform(), &sim_platform(),
                               &cuda::cuda_platform(compute_function)};
  return rows;
}

std::vector<Device> present_devices() {
  std::vector<Device> devices;
  for (const DeviceKind kind : kDeviceKinds)
    for (const uint8_t index : platform(kind).devices()) devices.push_back({kind, index});
  return devices;
}

}  // namespace tide
