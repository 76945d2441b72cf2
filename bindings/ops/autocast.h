// Autocast: which ops compute in a half type, and which in float32 at least.
#pragma once

#include <array>
#include <optional>

#include "bindings/ops/call.h"

namespace tide::bindings {

/// Per kind of device the type in which products and convolutions compute; none: as their operands
/// are.
struct Autocast {
  std::array<std::optional<DType>, 3> types;

  std::optional<DType> type_on(Device device) const {
    return types[static_cast<size_t>(device.kind)];
  }
  bool enabled() const { return types[0] || types[1] || types[2]; }
};

/// What autocast does with an op of a name.
enum class AutocastRule : uint8_t { none, half, wide };
AutocastRule autocast_rule(const char* name);

/// The setting that is in force on this thread.
Autocast& autocast_in_force();

/// Puts converted tensors in the place of the arguments of a bound call, as `rule` says. They stay
/// on the stack.
void autocast_arguments(Call& call, AutocastRule rule);

}  // namespace tide::bindings
