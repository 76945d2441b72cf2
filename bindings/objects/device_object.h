// Devices as Lua values: one object per device and Lua state, so that `==` compares devices.
#pragma once

#include "bindings/support/object.h"
#include "runtime/types/device.h"

namespace tide::bindings {

template <>
inline constexpr ClassInfo kClass<Device>{"tide.Device", "device"};

/// Pushes the unique object of a device.
void push_device(lua_State* L, Device device);

/// The device of new tensors if none is named.
Device default_device();
void set_default_device(Device device);
/// Whether a script has set the default device.
bool default_device_is_set();

/// Creates the metatable of devices in this state.
void open_device_class(lua_State* L);

}  // namespace tide::bindings
