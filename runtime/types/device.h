// Names of devices: "cpu", "sim:0", "cuda:1".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tide {

enum class DeviceKind : uint8_t { cpu, sim, cuda };
/// In the order in which devices are listed.
constexpr DeviceKind kDeviceKinds[] = {DeviceKind::cpu, DeviceKind::sim, DeviceKind::cuda};

/// "cpu", "sim" or "cuda".
const char* name_of(DeviceKind kind);

/// A device by name. Naming an absent device is fine; using it raises DeviceError.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  uint8_t index = 0;

  /// "cpu", or "sim:0".
  std::string name() const;
  /// Whether it is the cpu itself, whose memory is host memory.
  bool is_host() const { return kind == DeviceKind::cpu; }

  friend bool operator==(Device a, Device b) { return a.kind == b.kind && a.index == b.index; }
};

/// "cpu", "sim", "sim:1", "cuda", "cuda:1", "gpu" (cuda). Throws DeviceError for anything else.
Device device_from_name(std::string_view name);

}  // namespace tide
