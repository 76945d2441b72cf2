// Devices as Lua values, and the default device.
#include "bindings/objects/device_object.h"

#include <atomic>
#include <string>
#include <string_view>

namespace tide::bindings {
namespace {

/// Registry key of the table of device objects, by number.
const char kDevices = 0;

lua_Integer number_of(Device device) {
  return static_cast<lua_Integer>(device.kind) * 256 + device.index;
}

/// Kind and index in one atomic word, used by any thread.
std::atomic<Device>& default_device_word() {
  static std::atomic<Device> device{Device{}};
  return device;
}

std::atomic<bool> default_is_set{false};

int device_index(lua_State* L) {
  const Device& device = check<Device>(L, 1, "device");
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const std::string_view field = lua_tostring(L, 2);
  if (field == "type") {
    lua_pushstring(L, name_of(device.kind));
  } else if (field == "index") {
    device.is_host() ? lua_pushnil(L) : lua_pushinteger(L, device.index);
  } else {
    return raise_unknown_name(L, "device");
  }
  return 1;
}

int device_tostring(lua_State* L) {
  const Device& device = check<Device>(L, 1, "tostring");
  lua_pushstring(L, device.name().c_str());
  return 1;
}

int device_concat(lua_State* L) {
  luaL_tolstring(L, 1, nullptr);
  luaL_tolstring(L, 2, nullptr);
  lua_concat(L, 2);
  return 1;
}

}  // namespace

void push_device(lua_State* L, Device device) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kDevices);
  if (lua_rawgeti(L, -1, number_of(device)) == LUA_TNIL) {
    lua_pop(L, 1);
    push_object(L, device);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, number_of(device));
  }
  lua_remove(L, -2);
}

Device device_of(const DeviceOrIndex& device, DeviceKind kind, const char* function) {
  if (const Device* named = std::get_if<Device>(&device)) return *named;
  const int64_t index = std::get<int64_t>(device);
  if (index < 0 || index > 255)
    throw DeviceError(std::string(function) + ": there is no " + name_of(kind) + ":" +
                      std::to_string(index));
  return {kind, static_cast<uint8_t>(index)};
}

Device default_device() { return default_device_word().load(std::memory_order_relaxed); }

bool default_device_is_set() { return default_is_set.load(std::memory_order_relaxed); }

void set_default_device(Device device) {
  default_is_set = true;
  default_device_word().store(device, std::memory_order_relaxed);
}

void open_device_class(lua_State* L) {
  lua_createtable(L, 0, 4);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kDevices);
  const luaL_Reg metamethods[] = {{"__index", guard_lookup<device_index>},
                                  {"__tostring", guard_lookup<device_tostring>},
                                  {"__concat", device_concat},
                                  {nullptr, nullptr}};
  const luaL_Reg methods[] = {{nullptr, nullptr}};
  open_class<Device>(L, metamethods, methods);
  lua_createtable(L, 0, 2);
  for (const char* name : {"type", "index"}) {
    lua_pushboolean(L, true);
    lua_setfield(L, -2, name);
  }
  lua_setfield(L, -2, "__names");
  lua_pop(L, 1);
}

}  // namespace tide::bindings
