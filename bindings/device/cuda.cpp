// tide.cuda: PyTorch's functions for CUDA devices, also on machines without any.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bindings/device/functions.h"
#include "bindings/objects/device_object.h"
#include "bindings/ops/call.h"
#include "bindings/support/arguments.h"
#include "bindings/support/list.h"
#include "bindings/tensor/methods.h"
#include "runtime/device/registry.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

thread_local uint8_t current_index = 0;

const Platform& kind() { return platform(DeviceKind::cuda); }

lua_Integer count_devices() { return static_cast<lua_Integer>(kind().devices().size()); }

std::string list_of_devices() {
  std::string list;
  for (Device device : engine::devices()) list += (list.empty() ? "" : ", ") + device.name();
  return list;
}

/// The CUDA device named by the argument at `index`, or the current one; it need not exist.
Device named(lua_State* L, int index, const char* function) {
  Device device{DeviceKind::cuda, current_index};
  int64_t ordinal;
  if (integer_at(L, index, &ordinal)) {
    if (ordinal < 0 || ordinal > 255)
      throw DeviceError(std::string(function) + ": there is no cuda:" + std::to_string(ordinal));
    device.index = static_cast<uint8_t>(ordinal);
  } else if (!lua_isnoneornil(L, index)) {
    device = device_at(L, index, function);
  }
  if (device.kind != DeviceKind::cuda)
    throw DeviceError(std::string(function) + ": not a CUDA device: " + device.name());
  return device;
}

/// Like named, but throws a DeviceError that describes what is missing if it cannot be used.
Device usable(lua_State* L, int index, const char* function) {
  const Device device = named(L, index, function);
  if (!engine::exists(device)) {
    if (const std::string problem = kind().problem(); !problem.empty())
      throw DeviceError(std::string(function) + ": " + problem);
    throw DeviceError(std::string(function) + ": there is no " + device.name() +
                      " here; there are " + list_of_devices());
  }
  return device;
}

int is_available(lua_State* L) {
  kind().warn_if_broken();
  lua_pushboolean(L, count_devices() > 0);
  return 1;
}

int cuda_device_count(lua_State* L) {
  lua_pushinteger(L, count_devices());
  return 1;
}

int current_device(lua_State* L) {
  lua_pushinteger(L, usable(L, 1, "cuda.current_device").index);
  return 1;
}

int set_device(lua_State* L) {
  current_index = usable(L, 1, "cuda.set_device").index;
  return 0;
}

int cuda_synchronize(lua_State* L) {
  engine::synchronize(usable(L, 1, "cuda.synchronize"));
  return 0;
}

int mem_get_info(lua_State* L) {
  const auto memory = engine::memory(usable(L, 1, "cuda.mem_get_info"));
  lua_pushinteger(L, static_cast<lua_Integer>(memory.device_free));
  lua_pushinteger(L, static_cast<lua_Integer>(memory.device_total));
  return 2;
}

/// set_visible_devices{1, "cuda:2"}.
int set_visible_devices(lua_State* L) {
  constexpr const char* kName = "cuda.set_visible_devices";
  if (!lua_istable(L, 1)) throw_expected(L, 1, kName, "a table of devices");
  std::vector<uint8_t> ordinals;
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, 1));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, 1, i);
    const Device device = named(L, -1, kName);
    if (std::ranges::find(ordinals, device.index) != ordinals.end())
      throw DeviceError(std::string(kName) + ": " + device.name() + " is listed twice");
    ordinals.push_back(device.index);
    lua_pop(L, 1);
  }
  kind().set_visible_devices(ordinals);
  return 0;
}

DeviceProperties properties_of(Device device) { return kind().properties(device.index).value(); }

int get_device_name(lua_State* L) {
  const Device device = usable(L, 1, "cuda.get_device_name");
  lua_pushstring(L, kind().name(device.index).c_str());
  return 1;
}

int get_device_capability(lua_State* L) {
  const DeviceProperties device = properties_of(usable(L, 1, "cuda.get_device_capability"));
  lua_pushinteger(L, device.major);
  lua_pushinteger(L, device.minor);
  return 2;
}

int set_memory_fraction(lua_State* L) {
  constexpr const char* kName = "cuda.set_per_process_memory_fraction";
  if (lua_type(L, 1) != LUA_TNUMBER) throw_expected_argument(L, 1, kName, "fraction", "number");
  const double fraction = lua_tonumber(L, 1);
  if (!(fraction > 0 && fraction <= 1))
    throw ArgumentError(std::string(kName) + ": fraction must be above 0 and at most 1, got " +
                        luaL_tolstring(L, 1, nullptr));
  const Device device = usable(L, 2, kName);
  const auto total = static_cast<double>(properties_of(device).total_memory);
  engine::limit_memory(device, static_cast<size_t>(std::ceil(fraction * total)), kName);
  return 0;
}

/// Cards before Ampere compute in float32, and round.
int is_bf16_supported(lua_State* L) {
  constexpr const char* kName = "cuda.is_bf16_supported";
  if (!lua_isnoneornil(L, 1) && !lua_isboolean(L, 1))
    throw_expected_argument(L, 1, kName, "including_emulation", "boolean");
  const bool including_emulation = lua_isnoneornil(L, 1) || lua_toboolean(L, 1);
  const Device device{DeviceKind::cuda, current_index};
  lua_pushboolean(
      L, engine::exists(device) && (including_emulation || properties_of(device).major >= 8));
  return 1;
}

int get_arch_list(lua_State* L) {
  const std::vector<std::string> names = kind().architectures();
  lua_createtable(L, static_cast<int>(names.size()), 0);
  for (size_t i = 0; i < names.size(); ++i) {
    lua_pushstring(L, names[i].c_str());
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  make_list(L);
  return 1;
}

int get_device_properties(lua_State* L) {
  const DeviceProperties device = properties_of(usable(L, 1, "cuda.get_device_properties"));
  const std::pair<const char*, int64_t> integers[] = {
      {"major", device.major},
      {"minor", device.minor},
      {"total_memory", static_cast<int64_t>(device.total_memory)},
      {"multi_processor_count", device.multiprocessors},
      {"warp_size", device.warp_size},
      {"max_threads_per_multi_processor", device.max_threads_per_multiprocessor},
      {"clock_rate", device.clock_khz},
      {"memory_clock_rate", device.memory_clock_khz},
      {"memory_bus_width", device.memory_bus_bits},
      {"L2_cache_size", static_cast<int64_t>(device.l2_cache)},
      {"pci_bus_id", device.pci_bus},
      {"pci_device_id", device.pci_device},
      {"float_units", device.float_units},
      {"double_units", device.double_units},
      {"tensor_units", device.tensor_units}};
  const std::pair<const char*, double> numbers[] = {{"peak_float", device.peak_float()},
                                                    {"peak_double", device.peak_double()},
                                                    {"peak_bandwidth", device.peak_bandwidth()}};
  lua_createtable(L, 0, 24);
  make_list(L);
  lua_pushstring(L, device.name.c_str());
  lua_setfield(L, -2, "name");
  for (const auto& [name, value] : integers) {
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
  }
  for (const auto& [name, value] : numbers) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
  }
  lua_pushboolean(L, device.ecc);
  lua_setfield(L, -2, "ecc");
  lua_pushboolean(L, device.integrated);
  lua_setfield(L, -2, "is_integrated");
  return 1;
}

/// The device's current status from the management library.
DeviceStatus status_of(lua_State* L, const char* function) {
  const auto status = kind().status(usable(L, 1, function).index);
  if (!status)
    throw DeviceError(std::string(function) + ": NVIDIA's management library (libnvidia-ml.so.1) " +
                      "is missing, or does not support the device");
  return *status;
}

template <class Value>
Value reported(const std::optional<Value>& value, const char* function) {
  if (!value) throw DeviceError(std::string(function) + ": the device does not report it");
  return *value;
}

int utilization(lua_State* L) {
  lua_pushinteger(L, reported(status_of(L, "cuda.utilization").use, "cuda.utilization"));
  return 1;
}

int temperature(lua_State* L) {
  lua_pushinteger(L, reported(status_of(L, "cuda.temperature").temperature, "cuda.temperature"));
  return 1;
}

int power_draw(lua_State* L) {
  const double watts = reported(status_of(L, "cuda.power_draw").power, "cuda.power_draw");
  lua_pushinteger(L, std::llround(1e3 * watts));
  return 1;
}

/// The function with the same name of `tide`, called for a CUDA device; upvalue: that function.
int with_device(lua_State* L) {
  const Device device = usable(L, 1, "cuda");
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(1));
  push_device(L, device);
  lua_call(L, 1, LUA_MULTRET);
  return lua_gettop(L);
}

constexpr Function kCudaFunctions[] = {
    {"is_available", guard<is_available>, "", "Whether there is a CUDA device that can be used",
     "tide.cuda.is_available() == (tide.cuda.device_count() > 0) --> true"},
    {"device_count", guard<cuda_device_count>, "", "The number of usable CUDA devices",
     "tide.cuda.device_count() >= 0 --> true"},
    {"current_device", guard<current_device>, "", "The index of the current CUDA device, from 0",
     "tide.cuda.is_available() and tide.cuda.current_device() or 0 --> 0"},
    {"set_device", guard<set_device>, "device", "Makes a CUDA device the current one",
     "pcall(tide.cuda.set_device, 0) == tide.cuda.is_available() --> true"},
    {"synchronize", guard<cuda_synchronize>, "device?", "Waits until the device has finished",
     "pcall(tide.cuda.synchronize) == tide.cuda.is_available() --> true"},
    {"get_device_name", guard<get_device_name>, "device?", "The name of the device",
     "pcall(tide.cuda.get_device_name) == tide.cuda.is_available() --> true"},
    {"get_device_properties", guard<get_device_properties>, "device?",
     "A table of the device's properties: memory, multiprocessors, clocks in kHz, units per "
     "multiprocessor and the resulting peaks (operations per second, an FMA counted as two)",
     "pcall(tide.cuda.get_device_properties) == tide.cuda.is_available() --> true"},
    {"get_device_capability", guard<get_device_capability>, "device?",
     "The compute capability of the device: two numbers",
     "pcall(tide.cuda.get_device_capability) == tide.cuda.is_available() --> true"},
    {"manual_seed", guard<manual_seed>, "seed",
     "The same as tide.manual_seed: one generator serves all devices",
     "tide.cuda.manual_seed(7); tide.initial_seed() --> 7"},
    {"manual_seed_all", guard<manual_seed>, "seed",
     "The same as tide.manual_seed: one generator serves all devices",
     "tide.cuda.manual_seed_all(7); tide.initial_seed() --> 7"},
    {"utilization", guard<utilization>, "device?",
     "The recent percentage of time in which kernels of any process were running",
     "pcall(tide.cuda.utilization) == tide.cuda.is_available() --> true"},
    {"temperature", guard<temperature>, "device?", "The temperature in degrees Celsius",
     "pcall(tide.cuda.temperature) == tide.cuda.is_available() --> true"},
    {"power_draw", guard<power_draw>, "device?", "The current power draw in milliwatts",
     "pcall(tide.cuda.power_draw) == tide.cuda.is_available() --> true"},
    {"mem_get_info", guard<mem_get_info>, "device?", "Free and total bytes of the device",
     "pcall(tide.cuda.mem_get_info) == tide.cuda.is_available() --> true"},
    {"set_per_process_memory_fraction", guard<set_memory_fraction>, "fraction, device?",
     "Limits tensors and cached blocks of this process to this fraction of the device's memory; "
     "workspaces of libraries are not counted. TIDE_CUDA_MEMORY=8G sets a limit for each device at "
     "the start; the lower of the two applies",
     "pcall(tide.cuda.set_per_process_memory_fraction, 1) == tide.cuda.is_available() --> true"},
    {"set_visible_devices", guard<set_visible_devices>, "devices",
     "Restricts this process and its child processes to these CUDA devices, in this order, "
     "numbered from 0, like CUDA_VISIBLE_DEVICES. An error once CUDA devices have been queried",
     "tide.cuda.is_available(); pcall(tide.cuda.set_visible_devices, {1}) == false --> true"},
    {"is_bf16_supported", guard<is_bf16_supported>, "including_emulation?",
     "Whether the current CUDA device supports bfloat16; with false, whether its hardware does "
     "(compute capability 8.0 and newer)",
     "tide.cuda.is_bf16_supported() == tide.cuda.is_available() --> true"},
    {"get_arch_list", guard<get_arch_list>, "",
     "The targets of the compiled kernels of compute ops: sm_90 is machine code, compute_75 is "
     "code that the driver compiles for any newer card",
     "#tide.cuda.get_arch_list() >= 0 --> true"},
};

}  // namespace

std::span<const Function> cuda_functions() { return kCudaFunctions; }

void add_cuda_memory_functions(lua_State* L) {
  for (const Function& f : memory_functions()) {
    lua_pushcfunction(L, f.function);
    lua_pushcclosure(L, guard<with_device>, 1);
    lua_setfield(L, -2, f.name);
  }
}

}  // namespace tide::bindings
