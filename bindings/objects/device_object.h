// Devices as Lua values: one object per device and Lua state, so that `==` compares devices.
#pragma once

#include <variant>

#include "bindings/support/object.h"
#include "runtime/types/device.h"

namespace tide::bindings {

template <>
inline constexpr ClassInfo kClass<Device>{"tide.Device", "device"};

/// Pushes the unique object of a device.
void push_device(lua_State* L, Device device);

/// A device, or its index among those of its kind, from 0.
using DeviceOrIndex = std::variant<Device, int64_t>;

/// The device, or the one of this kind with the index; it need not exist. `function` is for the
/// error about an impossible index.
Device device_of(const DeviceOrIndex& device, DeviceKind kind, const char* function);

/// The device of new tensors if none is named.
Device default_device();
void set_default_device(Device device);
/// Whether a script has set the default device.
bool default_device_is_set();

/// Creates the metatable of devices in this state.
void open_device_class(lua_State* L);

}  // namespace tide::bindings
