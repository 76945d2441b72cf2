// Parses and formats device names.
#include "runtime/types/device.h"

#include <charconv>

#include "runtime/types/error.h"

namespace tide {

const char* name_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::sim:
      return "sim";
    case DeviceKind::cuda:
      return "cuda";
  }
  return "?";
}

std::string Device::name() const {
  return is_host() ? name_of(kind) : std::string(name_of(kind)) + ":" + std::to_string(index);
}

Device device_from_name(std::string_view name) {
  const auto bad = [&] {
    return DeviceError("device: no device is called '" + std::string(name) +
                       "'; names are cpu, sim, sim:0, cuda, cuda:0");
  };
  const size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  Device device;
  if (kind == "cpu")
    device.kind = DeviceKind::cpu;
  else if (kind == "sim")
    device.kind = DeviceKind::sim;
  else if (kind == "cuda" || kind == "gpu")
    device.kind = DeviceKind::cuda;
  else
    throw bad();
  if (colon == std::string_view::npos) return device;
  const std::string_view digits = name.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), device.index);
  if (error != std::errc() || end != digits.data() + digits.size()) throw bad();
  if (device.is_host() && device.index != 0) throw bad();
  return device;
}

}  // namespace tide
