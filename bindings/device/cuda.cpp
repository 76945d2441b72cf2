// tide.cuda: PyTorch's names for CUDA devices, on machines without any too.
#include <string>

#include "bindings/device/device_object.h"
#include "bindings/device/functions.h"
#include "bindings/ops/call.h"
#include "runtime/graph/engine.h"

namespace tide::bindings {
namespace {

thread_local uint8_t current_index = 0;

int count_devices() {
  int count = 0;
  for (Device device : engine::devices()) count += device.kind == DeviceKind::cuda;
  return count;
}

/// The CUDA device that the argument at `index` names, or the current one. Throws DeviceError,
/// saying what is missing, unless it can be used.
Device usable(lua_State* L, int index, const char* function) {
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
  if (!engine::exists(device))
    throw DeviceError(std::string(function) + ": " + device.name() +
                      " cannot be used: `tide info` says what was found and what is missing");
  return device;
}

int is_available(lua_State* L) {
  lua_pushboolean(L, count_devices() > 0);
  return 1;
}

int device_count(lua_State* L) {
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

int synchronize(lua_State* L) {
  engine::synchronize(usable(L, 1, "cuda.synchronize"));
  return 0;
}

int mem_get_info(lua_State* L) {
  const auto memory = engine::memory(usable(L, 1, "cuda.mem_get_info"));
  lua_pushinteger(L, static_cast<lua_Integer>(memory.limit - memory.in_use));
  lua_pushinteger(L, static_cast<lua_Integer>(memory.limit));
  return 2;
}

/// What only a driver can say: get_device_name and its like.
template <const char* kName>
int ask_driver(lua_State* L) {
  const Device device = usable(L, 1, kName);
  throw DeviceError(std::string(kName) + ": the driver of " + device.name() + " does not say");
}
constexpr char kDeviceName[] = "cuda.get_device_name";
constexpr char kDeviceProperties[] = "cuda.get_device_properties";
constexpr char kDeviceCapability[] = "cuda.get_device_capability";

/// The function with the same name of `tide`, called for a CUDA device; upvalue: that function.
int with_device(lua_State* L) {
  const Device device = usable(L, 1, "cuda");
  lua_settop(L, 0);
  lua_pushvalue(L, lua_upvalueindex(1));
  push_device(L, device);
  lua_call(L, 1, LUA_MULTRET);
  return lua_gettop(L);
}

constexpr Function kFunctions[] = {
    {"is_available", guard<is_available>, "", "Whether there is a CUDA device that can be used"},
    {"device_count", guard<device_count>, "", "How many CUDA devices can be used"},
    {"current_device", guard<current_device>, "", "Number of the current CUDA device, from 0"},
    {"set_device", guard<set_device>, "device", "Makes a CUDA device the current one"},
    {"synchronize", guard<synchronize>, "device?", "Waits until the device has finished"},
    {"get_device_name", guard<ask_driver<kDeviceName>>, "device?", "The name of the device"},
    {"get_device_properties", guard<ask_driver<kDeviceProperties>>, "device?",
     "A table of what the device has"},
    {"get_device_capability", guard<ask_driver<kDeviceCapability>>, "device?",
     "The compute capability of the device: two numbers"},
    {"mem_get_info", guard<mem_get_info>, "device?", "Free and total bytes of the device"},
};

}  // namespace

std::span<const Function> cuda_functions() { return kFunctions; }

void add_cuda_memory_functions(lua_State* L) {
  for (const Function& f : memory_functions()) {
    lua_pushcfunction(L, f.function);
    lua_pushcclosure(L, guard<with_device>, 1);
    lua_setfield(L, -2, f.name);
  }
}

}  // namespace tide::bindings
