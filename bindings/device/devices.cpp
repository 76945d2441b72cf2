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
#include "bindings/ops/typed_function.h"
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

Device device(Device name) { return name; }

std::vector<Device> devices(std::optional<Device> kind) {
  return kind ? devices_of(kind->kind) : engine::devices();
}

Device cpu() { return {}; }

Device gpu(std::optional<int64_t> i) { return device_of(i.value_or(0), gpu_kind(), "gpu"); }

Device try_gpu(std::optional<int64_t> i) {
  const Device device = device_of(i.value_or(0), gpu_kind(), "try_gpu");
  return engine::exists(device) ? device : Device{};
}

std::vector<Device> try_all_gpus() {
  std::vector<Device> found = devices_of(gpu_kind());
  if (found.empty()) found.push_back(Device{});
  return found;
}

int64_t num_gpus() { return static_cast<int64_t>(devices_of(gpu_kind()).size()); }

void synchronize(std::optional<Device> device) {
  device ? engine::synchronize(*device) : engine::synchronize();
}

int64_t get_num_threads() { return engine::threads(); }

void set_num_threads(int64_t count) {
  engine::set_threads(static_cast<int>(std::clamp<int64_t>(count, INT_MIN, INT_MAX)));
}

int is_device(lua_State* L, Value value) {
  return push_result(L, find<Device>(L, value.index) != nullptr);
}

constexpr Function kDeviceFunctions[] = {
    typed_function<device, "device", "name">(
        "The device of that name: \"cpu\", \"cuda:1\", \"sim\"",
        "tide.device(\"sim:1\").index --> 1"),
    typed_function<devices, "devices", "kind?">("A table of the available devices",
                                                "tide.devices(\"cpu\") --> {cpu}"),
    typed_function<is_device, "is_device", "value">("Whether a value is a device",
                                                    "tide.is_device(\"cpu\") --> false"),
    typed_function<accelerator, "accelerator", "">(
        "The device of --device or TIDE_DEVICE, else cuda if it can be used, else cpu",
        "tide.is_device(tide.accelerator()) --> true"),
    typed_function<cpu, "cpu", "">("The device cpu", "tide.cpu() --> cpu"),
    typed_function<gpu, "gpu", "i?">("The i-th GPU, counted from 0; it need not exist",
                                     "tide.gpu(1).index --> 1"),
    typed_function<try_gpu, "try_gpu", "i?">("The i-th GPU, counted from 0; cpu if there is none",
                                             "tide.is_device(tide.try_gpu(0)) --> true"),
    typed_function<try_all_gpus, "try_all_gpus", "">(
        "A table of all GPUs, or of the cpu if there are none",
        "#tide.try_all_gpus() == math.max(1, tide.num_gpus()) --> true"),
    typed_function<num_gpus, "num_gpus", "">("The number of GPUs", "tide.num_gpus() >= 0 --> true"),
    typed_function<set_default_device, "set_default_device", "device">(
        "Sets the device of new tensors if no device is named",
        "tide.set_default_device(\"sim\"); local x = tide.ones(2); "
        "tide.set_default_device(\"cpu\"); "
        "x.device --> sim:0"),
    typed_function<default_device, "get_default_device", "">(
        "The device of new tensors if no device is named", "tide.get_default_device() --> cpu"),
    typed_function<synchronize, "synchronize", "device?">(
        "Waits until the device, or all devices, have finished",
        "local x = tide.ones(2) + 1; tide.synchronize()"),
    typed_function<get_num_threads, "get_num_threads", "">(
        "The number of threads that compute on the cpu", "tide.get_num_threads() >= 1 --> true"),
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

std::string accelerator_asked_for() {
  const std::optional<Device>& device = asked_for();
  return device ? device->name() : "";
}

std::span<const Function> device_functions() { return kDeviceFunctions; }

}  // namespace tide::bindings
