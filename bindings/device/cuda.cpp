// tide.cuda: PyTorch's functions for CUDA devices, also on machines without any.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/device/functions.h"
#include "bindings/objects/device_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/fields.h"
#include "bindings/support/list.h"
#include "bindings/tensor/methods.h"
#include "runtime/device/registry.h"
#include "runtime/ops/checks.h"
#include "runtime/record/device_state.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

thread_local uint8_t current_index = 0;

const Platform& kind() { return platform(DeviceKind::cuda); }

int64_t count_devices() { return static_cast<int64_t>(kind().devices().size()); }

std::string list_of_devices() {
  std::string list;
  for (Device device : engine::devices()) list += (list.empty() ? "" : ", ") + device.name();
  return list;
}

/// The given CUDA device, or the current one; it need not exist.
Device named(const std::optional<DeviceOrIndex>& given, const char* function) {
  const Device device = given ? device_of(*given, DeviceKind::cuda, function)
                              : Device{DeviceKind::cuda, current_index};
  if (device.kind != DeviceKind::cuda)
    throw DeviceError(std::string(function) + ": not a CUDA device: " + device.name());
  return device;
}

/// Like named, but throws a DeviceError that describes what is missing if it cannot be used.
Device usable(const std::optional<DeviceOrIndex>& given, const char* function) {
  const Device device = named(given, function);
  if (!engine::exists(device)) {
    if (const std::string problem = kind().problem(); !problem.empty())
      throw DeviceError(std::string(function) + ": " + problem);
    throw DeviceError(std::string(function) + ": there is no " + device.name() +
                      " here; there are " + list_of_devices());
  }
  return device;
}

bool is_available() {
  kind().warn_if_broken();
  return count_devices() > 0;
}

int64_t current_device() { return usable({}, "cuda.current_device").index; }

void set_device(const DeviceOrIndex& device) {
  current_index = usable(device, "cuda.set_device").index;
}

void cuda_synchronize(const std::optional<DeviceOrIndex>& device) {
  engine::synchronize(usable(device, "cuda.synchronize"));
}

std::tuple<int64_t, int64_t> mem_get_info(const std::optional<DeviceOrIndex>& device) {
  const auto memory = DeviceState::of(usable(device, "cuda.mem_get_info")).memory();
  return {static_cast<int64_t>(memory.available), static_cast<int64_t>(memory.total)};
}

/// set_visible_devices{1, "cuda:2"}.
void set_visible_devices(const std::vector<DeviceOrIndex>& devices) {
  constexpr const char* kName = "cuda.set_visible_devices";
  std::vector<uint8_t> ordinals;
  for (const DeviceOrIndex& given : devices) {
    const Device device = named(given, kName);
    if (std::ranges::find(ordinals, device.index) != ordinals.end())
      throw DeviceError(std::string(kName) + ": " + device.name() + " is listed twice");
    ordinals.push_back(device.index);
  }
  kind().set_visible_devices(ordinals);
}

DeviceProperties properties_of(Device device) {
  return kind().properties(device.index).value_or(DeviceProperties());
}

std::string get_device_name(const std::optional<DeviceOrIndex>& device) {
  return kind().name(usable(device, "cuda.get_device_name").index);
}

std::tuple<int64_t, int64_t> get_device_capability(const std::optional<DeviceOrIndex>& given) {
  const DeviceProperties device = properties_of(usable(given, "cuda.get_device_capability"));
  return {device.major, device.minor};
}

void set_memory_fraction(double fraction, const std::optional<DeviceOrIndex>& given) {
  constexpr const char* kName = "cuda.set_per_process_memory_fraction";
  check_positive(kName, "fraction", fraction);
  check_between(kName, "fraction", fraction, 0, 1);
  const Device device = usable(given, kName);
  const auto total = static_cast<double>(properties_of(device).total_memory);
  engine::limit_memory(device, static_cast<size_t>(std::ceil(fraction * total)), kName);
}

/// Cards before Ampere compute in float32, and round.
bool is_bf16_supported(std::optional<bool> including_emulation) {
  const Device device{DeviceKind::cuda, current_index};
  return engine::exists(device) &&
         (including_emulation.value_or(true) || properties_of(device).major >= 8);
}

std::vector<std::string> get_arch_list() { return kind().architectures(); }

int get_device_properties(lua_State* L, const std::optional<DeviceOrIndex>& given) {
  const DeviceProperties device = properties_of(usable(given, "cuda.get_device_properties"));
  lua_createtable(L, 0, 24);
  make_list(L);
  set_field(L, "name", device.name);
  set_field(L, "major", device.major);
  set_field(L, "minor", device.minor);
  set_field(L, "total_memory", device.total_memory);
  set_field(L, "multi_processor_count", device.multiprocessors);
  set_field(L, "warp_size", device.warp_size);
  set_field(L, "max_threads_per_multi_processor", device.max_threads_per_multiprocessor);
  set_field(L, "clock_rate", device.clock_khz);
  set_field(L, "memory_clock_rate", device.memory_clock_khz);
  set_field(L, "memory_bus_width", device.memory_bus_bits);
  set_field(L, "L2_cache_size", device.l2_cache);
  set_field(L, "pci_bus_id", device.pci_bus);
  set_field(L, "pci_device_id", device.pci_device);
  set_field(L, "float_units", device.float_units);
  set_field(L, "double_units", device.double_units);
  set_field(L, "tensor_units", device.tensor_units);
  set_field(L, "peak_float", device.peak_float());
  set_field(L, "peak_double", device.peak_double());
  set_field(L, "peak_bandwidth", device.peak_bandwidth());
  set_field(L, "ecc", device.ecc);
  set_field(L, "is_integrated", device.integrated);
  return 1;
}

/// A value of the device's current status from the management library.
template <class Value>
Value reported(const std::optional<DeviceOrIndex>& device,
               std::optional<Value> DeviceStatus::*value, const char* function) {
  const auto status = kind().status(usable(device, function).index);
  if (!status)
    throw DeviceError(std::string(function) + ": NVIDIA's management library (libnvidia-ml.so.1) " +
                      "is missing, or does not support the device");
  const std::optional<Value>& found = (*status).*value;
  if (!found) throw DeviceError(std::string(function) + ": the device does not report it");
  return *found;
}

int64_t utilization(const std::optional<DeviceOrIndex>& device) {
  return reported(device, &DeviceStatus::use, "cuda.utilization");
}

int64_t temperature(const std::optional<DeviceOrIndex>& device) {
  return reported(device, &DeviceStatus::temperature, "cuda.temperature");
}

int64_t power_draw(const std::optional<DeviceOrIndex>& device) {
  return std::llround(1e3 * reported(device, &DeviceStatus::power, "cuda.power_draw"));
}

/// The function of `tide` that is the upvalue, a Function, called for a CUDA device.
int with_device(lua_State* L) {
  const auto& of_tide = *static_cast<const Function*>(lua_touserdata(L, lua_upvalueindex(1)));
  Device device;
  {
    static constexpr Signature kSignature = make_signature("device?", kKinds<DeviceOrIndex>);
    const std::string name = std::string("cuda.") + of_tide.name;
    const Call call = bound_call(L, name.c_str(), kSignature);
    device = usable(argument<std::optional<DeviceOrIndex>>(call, 0), name.c_str());
  }
  lua_settop(L, 0);
  lua_pushcfunction(L, of_tide.function);
  push_device(L, device);
  lua_call(L, 1, LUA_MULTRET);
  return lua_gettop(L);
}

constexpr Function kCudaFunctions[] = {
    typed_function<is_available, "cuda.is_available", "">(
        "Whether there is a CUDA device that can be used",
        "tide.cuda.is_available() == (tide.cuda.device_count() > 0) --> true"),
    typed_function<count_devices, "cuda.device_count", "">(
        "The number of usable CUDA devices", "tide.cuda.device_count() >= 0 --> true"),
    typed_function<current_device, "cuda.current_device", "">(
        "The index of the current CUDA device, from 0",
        "tide.cuda.is_available() and tide.cuda.current_device() or 0 --> 0"),
    typed_function<set_device, "cuda.set_device", "device">(
        "Makes a CUDA device the current one",
        "pcall(tide.cuda.set_device, 0) == tide.cuda.is_available() --> true"),
    typed_function<cuda_synchronize, "cuda.synchronize", "device?">(
        "Waits until the device has finished",
        "pcall(tide.cuda.synchronize) == tide.cuda.is_available() --> true"),
    typed_function<get_device_name, "cuda.get_device_name", "device?">(
        "The name of the device",
        "pcall(tide.cuda.get_device_name) == tide.cuda.is_available() --> true"),
    typed_function<get_device_properties, "cuda.get_device_properties", "device?">(
        "A table of the device's properties: memory, multiprocessors, clocks in kHz, units per "
        "multiprocessor and the resulting peaks (operations per second, an FMA counted as two)",
        "pcall(tide.cuda.get_device_properties) == tide.cuda.is_available() --> true"),
    typed_function<get_device_capability, "cuda.get_device_capability", "device?">(
        "The compute capability of the device: two numbers",
        "pcall(tide.cuda.get_device_capability) == tide.cuda.is_available() --> true"),
    typed_function<manual_seed, "cuda.manual_seed", "seed">(
        "The same as tide.manual_seed: one generator serves all devices",
        "tide.cuda.manual_seed(7); tide.initial_seed() --> 7"),
    typed_function<manual_seed, "cuda.manual_seed_all", "seed">(
        "The same as tide.manual_seed: one generator serves all devices",
        "tide.cuda.manual_seed_all(7); tide.initial_seed() --> 7"),
    typed_function<utilization, "cuda.utilization", "device?">(
        "The recent percentage of time in which kernels of any process were running",
        "pcall(tide.cuda.utilization) == tide.cuda.is_available() --> true"),
    typed_function<temperature, "cuda.temperature", "device?">(
        "The temperature in degrees Celsius",
        "pcall(tide.cuda.temperature) == tide.cuda.is_available() --> true"),
    typed_function<power_draw, "cuda.power_draw", "device?">(
        "The current power draw in milliwatts",
        "pcall(tide.cuda.power_draw) == tide.cuda.is_available() --> true"),
    typed_function<mem_get_info, "cuda.mem_get_info", "device?">(
        "Free and total bytes of the device",
        "pcall(tide.cuda.mem_get_info) == tide.cuda.is_available() --> true"),
    typed_function<set_memory_fraction, "cuda.set_per_process_memory_fraction",
                   "fraction, device?">(
        "Limits tensors and cached blocks of this process to this fraction of the device's memory; "
        "workspaces of libraries are not counted. TIDE_CUDA_MEMORY=8G sets a limit for each device "
        "at "
        "the start; the lower of the two applies",
        "pcall(tide.cuda.set_per_process_memory_fraction, 1) == tide.cuda.is_available() --> true"),
    typed_function<set_visible_devices, "cuda.set_visible_devices", "devices">(
        "Restricts this process and its child processes to these CUDA devices, in this order, "
        "numbered from 0, like CUDA_VISIBLE_DEVICES. An error once CUDA devices have been queried",
        "tide.cuda.is_available(); pcall(tide.cuda.set_visible_devices, {1}) == false --> true"),
    typed_function<is_bf16_supported, "cuda.is_bf16_supported", "including_emulation?">(
        "Whether the current CUDA device supports bfloat16; with false, whether its hardware does "
        "(compute capability 8.0 and newer)",
        "tide.cuda.is_bf16_supported() == tide.cuda.is_available() --> true"),
    typed_function<get_arch_list, "cuda.get_arch_list", "">(
        "The targets of the compiled kernels of compute ops: sm_90 is machine code, compute_75 is "
        "code that the driver compiles for any newer card",
        "#tide.cuda.get_arch_list() >= 0 --> true"),
};

}  // namespace

std::span<const Function> cuda_functions() { return kCudaFunctions; }

void add_cuda_memory_functions(lua_State* L) {
  for (const Function& f : memory_functions()) {
    lua_pushlightuserdata(L, const_cast<Function*>(&f));
    lua_pushcclosure(L, guard<with_device>, 1);
    lua_setfield(L, -2, f.name);
  }
}

}  // namespace tide::bindings
