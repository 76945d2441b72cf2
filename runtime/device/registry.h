// The kinds of devices of this build.
#pragma once

#include <array>
#include <iterator>
#include <vector>

#include "runtime/device/platform.h"

namespace tide {

/// The table of kinds. A program may replace a row before it uses a device of the kind: tests do so
/// to wrap one.
using PlatformTable = std::array<const Platform*, std::size(kDeviceKinds)>;
PlatformTable& platforms();

/// The row of a kind. Looks for a driver only when it is asked for devices or reports.
inline const Platform& platform(DeviceKind kind) { return *platforms()[static_cast<size_t>(kind)]; }

/// The usable devices, in the order of their kinds.
std::vector<Device> present_devices();

/// The capabilities of a device, whether it exists or not.
inline const Capabilities& capabilities(Device device) {
  return platform(device.kind).capabilities;
}

/// Whether `op` is faster on this device than its composition of other ops.
inline bool has_kernel(ComputeOp op, Device device) {
  const auto composed = capabilities(device).composed;
  return std::find(composed.begin(), composed.end(), op) == composed.end();
}

}  // namespace tide
