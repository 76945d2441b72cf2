// The kinds of devices of this build.
#pragma once

#include <vector>

#include "runtime/device/platform.h"

namespace tide {

/// What there is of a kind. Looks for a driver only when it is asked for devices or reports.
const Platform& platform(DeviceKind kind);

/// The devices that can be used, in the order of their kinds.
std::vector<Device> present_devices();

/// What a device does well, whether it is there or not.
inline const Capabilities& capabilities(Device device) {
  return platform(device.kind).capabilities;
}

/// Whether `op` is faster on this device than what it can be composed of.
inline bool has_kernel(ComputeOp op, Device device) {
  const auto composed = capabilities(device).composed;
  return std::find(composed.begin(), composed.end(), op) == composed.end();
}

}  // namespace tide
