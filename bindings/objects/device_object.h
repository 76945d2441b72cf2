// Devices as Lua values: one object per device and Lua state, so that `==` compares devices.
#pragma once

#include "bindings/support/object.h"
#include "runtime/core/device.h"

namespace tide::bindings {

template <>
inline constexpr ClassInfo kClass<Device>{"tide.Device", "device"};

/// Pushes the object of a device, always the same one.
void push_device(lua_State* L, Device device);

/// Where tensors are created when no device is named.
Device default_device();
void set_default_device(Device device);
/// Whether a script has said so, or it is the cpu because nobody has.
bool default_device_is_set();

/// Makes the class of devices in this state.
void open_device_class(lua_State* L);

}  // namespace tide::bindings
