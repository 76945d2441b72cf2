// Autocast: runs some ops in a half type, and others at least in float32.
#pragma once

#include <array>
#include <optional>

#include "bindings/ops/call.h"

namespace tide::bindings {

/// The type of products and convolutions per kind of device; none: the type of their operands.
struct Autocast {
  std::array<std::optional<DType>, 3> types;

  std::optional<DType> type_on(Device device) const {
    return types[static_cast<size_t>(device.kind)];
  }
  bool enabled() const { return types[0] || types[1] || types[2]; }
};

/// How autocast treats an op.
enum class AutocastRule : uint8_t { none, half, wide };
AutocastRule autocast_rule(const char* name);

/// The current setting of this thread.
Autocast& autocast_in_force();

/// Replaces the arguments of a bound call with converted tensors according to `rule`. The originals
/// stay on the stack.
void autocast_arguments(Call& call, AutocastRule rule);

}  // namespace tide::bindings
