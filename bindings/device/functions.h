// The functions on devices, by subject.
#pragma once

#include <lua5.4/lua.hpp>
#include <optional>
#include <span>
#include <string>

#include "bindings/support/function.h"
#include "runtime/tensor/tensor.h"
#include "runtime/types/device.h"

namespace tide::bindings {

/// tide.device, tide.devices, tide.try_gpu, tide.synchronize, ...
std::span<const Function> device_functions();
/// tide.memory_allocated and related functions, for any device.
std::span<const Function> memory_functions();
/// memory_figures(device?): the device, its figures and a list of the script lines that hold its
/// memory.
int memory_figures(lua_State* L, const std::optional<Device>& wanted);
/// blocks_of(x): a list of {address, bytes, line}: the block of x's value, or the blocks it would
/// be computed from.
int blocks_of(lua_State* L, const Tensor& x);
/// tide.cuda.*
std::span<const Function> cuda_functions();
/// tide.smi.
std::span<const Function> smi_functions();
/// A list of tables of figures, one for each device: name, use (percent, since the last call),
/// memory and total (bytes), queue (ops), of GPUs also power, temperature, memory_use, clock,
/// memory_clock.
int device_figures(lua_State* L);
/// Adds the memory functions, of CUDA devices only, to the table on top of the stack.
void add_cuda_memory_functions(lua_State* L);
/// tide.sim.*
std::span<const Function> sim_functions();
/// tide.Event, tide.Stream, tide.stream.
std::span<const Function> event_functions();
std::span<const Function> event_methods();
std::span<const Function> stream_methods();

/// Creates the metatables of events and streams in this state.
void open_event_classes(lua_State* L);

/// The device that scripts compute on: `--device`, TIDE_DEVICE, cuda:0 if it can be used, or cpu.
Device accelerator();
/// Sets the device of `--device`. Throws DeviceError for an invalid name.
void set_accelerator(const std::string& name);
/// The name passed to set_accelerator; empty if it was not called.
std::string accelerator_asked_for();

/// The device to time if none is named: the default device if a script has set it,
/// else that of `--device` or TIDE_DEVICE, else the default device.
Device timed_device();

}  // namespace tide::bindings
