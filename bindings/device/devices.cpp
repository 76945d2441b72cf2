// The available devices, device selection, and waiting for devices.
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bindings/device/functions.h"
#include "bindings/objects/device_object.h"
#include "bindings/ops/call.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/list.h"
#include "runtime/os/environment.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

std::optional<Device>& asked_for() {
  static std::optional<Device> device;
  return device;
}

/// The device of `--device`, else of TIDE_DEVICE.
std::optional<Device> chosen_accelerator() {
  if (asked_for()) return asked_for();
  if (const char* name = environment_text(Variable::device); name && *name)
    return device_from_name(name);
  return std::nullopt;
}

std::vector<Device> devices_of(DeviceKind kind) {
  std::vector<Device> devices = engine::devices();
  std::erase_if(devices, [kind](Device device) { return device.kind != kind; });
  return devices;
}

/// The kind of "gpu" in functions of the D2L book: cuda, or sim if one was selected.
DeviceKind gpu_kind() {
  return accelerator().kind == DeviceKind::sim ? DeviceKind::sim : DeviceKind::cuda;
}

Device gpu_at(lua_State* L, int index, const char* function) {
  int64_t ordinal = 0;
  if (!lua_isnoneornil(L, index) &&
      (!integer_at(L, index, &ordinal) || ordinal < 0 || ordinal > 255))
    throw ArgumentError(std::string(function) + ": expected the number of a device, from 0");
  return {gpu_kind(), static_cast<uint8_t>(ordinal)};
}

int push_list(lua_State* L, const std::vector<Device>& devices) {
  lua_createtable(L, static_cast<int>(devices.size()), 0);
  for (size_t i = 0; i < devices.size(); ++i) {
    push_device(L, devices[i]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  make_list(L);
  return 1;
}

int device(lua_State* L) {
  push_device(L, device_at(L, 1, "device"));
  return 1;
}

int devices(lua_State* L) {
  if (lua_isnoneornil(L, 1)) return push_list(L, engine::devices());
  return push_list(L, devices_of(device_at(L, 1, "devices").kind));
}

int get_accelerator(lua_State* L) {
  push_device(L, accelerator());
  return 1;
}

int cpu(lua_State* L) {
  push_device(L, Device{});
  return 1;
}

int gpu(lua_State* L) {
  push_device(L, gpu_at(L, 1, "gpu"));
  return 1;
}

int try_gpu(lua_State* L) {
  const Device device = gpu_at(L, 1, "try_gpu");
  push_device(L, engine::exists(device) ? device : Device{});
  return 1;
}

int try_all_gpus(lua_State* L) {
  std::vector<Device> found = devices_of(gpu_kind());
  if (found.empty()) found.push_back(Device{});
  return push_list(L, found);
}

int num_gpus(lua_State* L) {
  lua_pushinteger(L, static_cast<lua_Integer>(devices_of(gpu_kind()).size()));
  return 1;
}

int get_default(lua_State* L) {
  push_device(L, default_device());
  return 1;
}

int synchronize(lua_State* L) {
  if (lua_isnoneornil(L, 1))
    engine::synchronize();
  else
    engine::synchronize(device_at(L, 1, "synchronize"));
  return 0;
}

int get_num_threads(lua_State* L) {
  lua_pushinteger(L, engine::threads());
  return 1;
}

void set_num_threads(int64_t count) {
  engine::set_threads(static_cast<int>(std::clamp<int64_t>(count, INT_MIN, INT_MAX)));
}

int is_device(lua_State* L) {
  lua_pushboolean(L, find<Device>(L, 1) != nullptr);
  return 1;
}

constexpr Function kDeviceFunctions[] = {
    {"device", guard<device>, "name", "The device of that name: \"cpu\", \"cuda:1\", \"sim\"",
     "tide.device(\"sim:1\").index --> 1"},
    {"devices", guard<devices>, "kind?", "A table of the available devices",
     "tide.devices(\"cpu\") --> {cpu}"},
    {"is_device", guard<is_device>, "value", "Whether a value is a device",
     "tide.is_device(\"cpu\") --> false"},
    {"accelerator", guard<get_accelerator>, "",
     "The device of --device or TIDE_DEVICE, else cuda if it can be used, else cpu",
     "tide.is_device(tide.accelerator()) --> true"},
    {"cpu", guard<cpu>, "", "The device cpu", "tide.cpu() --> cpu"},
    {"gpu", guard<gpu>, "i?", "The i-th GPU, counted from 0; it need not exist",
     "tide.gpu(1).index --> 1"},
    {"try_gpu", guard<try_gpu>, "i?", "The i-th GPU, counted from 0; cpu if there is none",
     "tide.is_device(tide.try_gpu(0)) --> true"},
    {"try_all_gpus", guard<try_all_gpus>, "",
     "A table of all GPUs, or of the cpu if there are none",
     "#tide.try_all_gpus() == math.max(1, tide.num_gpus()) --> true"},
    {"num_gpus", guard<num_gpus>, "", "The number of GPUs", "tide.num_gpus() >= 0 --> true"},
    typed_function<set_default_device, "set_default_device", "device">(
        "Sets the device of new tensors if no device is named",
        "tide.set_default_device(\"sim\"); local x = tide.ones(2); "
        "tide.set_default_device(\"cpu\"); "
        "x.device --> sim:0"),
    {"get_default_device", guard<get_default>, "",
     "The device of new tensors if no device is named", "tide.get_default_device() --> cpu"},
    {"synchronize", guard<synchronize>, "device?",
     "Waits until the device, or all devices, have finished",
     "local x = tide.ones(2) + 1; tide.synchronize()"},
    {"get_num_threads", guard<get_num_threads>, "", "The number of threads that compute on the cpu",
     "tide.get_num_threads() >= 1 --> true"},
    typed_function<set_num_threads, "set_num_threads", "n">(
        "Sets the number of threads that compute on the cpu",
        "local n = tide.get_num_threads(); tide.set_num_threads(1); local one = "
        "tide.get_num_threads(); tide.set_num_threads(n); one --> 1"),
};

}  // namespace

Device accelerator() {
  if (const auto device = chosen_accelerator()) return *device;
  const Device cuda{DeviceKind::cuda, 0};
  return engine::exists(cuda) ? cuda : Device{};
}

Device timed_device() {
  if (default_device_is_set()) return default_device();
  return chosen_accelerator().value_or(default_device());
}

void set_accelerator(const std::string& name) { asked_for() = device_from_name(name); }

std::string accelerator_asked_for() { return asked_for() ? asked_for()->name() : ""; }

std::span<const Function> device_functions() { return kDeviceFunctions; }

}  // namespace tide::bindings
