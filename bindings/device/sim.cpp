// tide.sim: settings of the simulated accelerators.
#include <string>
#include <string_view>

#include "bindings/device/card.h"
#include "bindings/device/functions.h"
#include "bindings/objects/device_object.h"
#include "bindings/ops/call.h"
#include "bindings/support/arguments.h"
#include "runtime/device/registry.h"
#include "runtime/device/simulation.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

/// Upper bounds of options, which fit every integer type.
constexpr double kMostCount = 1e15, kMostSeconds = 3600;

/// The number on top of the stack.
double number_option(lua_State* L, std::string_view key) {
  const bool is_time = key == "copy_latency" || key == "launch_cost";
  const double most = key == "index" ? 255 : is_time ? kMostSeconds : kMostCount;
  const double value = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
  if (!(value >= 0 && value <= most))
    throw ArgumentError("sim.configure: " + std::string(key) + ": expected a non-negative number" +
                        (value > most ? ", and a smaller one" : ""));
  return value;
}

/// Reads the option `key`, whose value is on top of the stack.
void read_option(lua_State* L, std::string_view key, SimOptions& options, int& index) {
  const double value = number_option(L, key);
  const auto whole = static_cast<int64_t>(value);
  if (key == "index")
    index = static_cast<int>(whole);
  else if (key == "memory_limit")
    options.memory_limit = static_cast<size_t>(value);
  else if (key == "bytes_per_second")
    options.bytes_per_second = value;
  else if (key == "staging_bytes_per_second")
    options.staging_bytes_per_second = value;
  else if (key == "pin_bytes_per_second")
    options.pin_bytes_per_second = value;
  else if (key == "copy_latency")
    options.copy_latency = value;
  else if (key == "launch_cost")
    options.launch_cost = value;
  else if (key == "fail_op")
    options.fail_op = whole;
  else if (key == "fail_allocation")
    options.fail_allocation = whole;
  else if (key == "fail_copy")
    options.fail_copy = whole;
}

/// Reads the figures of the card named on top of the stack; resets them if it is false.
void read_like(lua_State* L, SimOptions& options) {
  options.like.emplace();
  if (lua_isboolean(L, -1) && !lua_toboolean(L, -1)) return;
  push_module(L, "tide.tools.estimate.cards");
  lua_getfield(L, -1, "find");
  lua_pushliteral(L, "sim.configure: like");
  lua_pushvalue(L, -4);
  lua_call(L, 2, 1);
  *options.like = card_at(L, lua_gettop(L));
  lua_getfield(L, -1, "memory");
  options.memory_limit = static_cast<size_t>(lua_tonumber(L, -1));
  lua_pop(L, 3);
}

/// Reads the options in the table at `table`, first those of the card named by `like`, if any.
void read_options(lua_State* L, int table, SimOptions& options, int& index) {
  if (lua_getfield(L, table, "like") != LUA_TNIL) read_like(L, options);
  lua_pop(L, 1);
  constexpr std::string_view kKnown =
      "index, device, like, memory_limit, bytes_per_second, staging_bytes_per_second, "
      "pin_bytes_per_second, copy_latency, launch_cost, fail_op, fail_allocation, fail_copy";
  for_each_option(L, table, "sim.configure", kKnown, [&](std::string_view key, int value) {
    if (key == "like") return;
    if (key != "device") return read_option(L, key, options, index);
    const Device device = device_at(L, value, "sim.configure");
    if (device.kind != DeviceKind::sim)
      throw DeviceError("sim.configure: not a simulated device: " + device.name());
    index = device.index;
  });
}

int configure(lua_State* L) {
  if (!lua_istable(L, 1)) throw_expected(L, 1, "sim.configure", "a table of options");
  SimOptions options;
  int index = 0;
  read_options(L, 1, options, index);
  engine::configure_sim(index, options);
  return 0;
}

int sim_device_count(lua_State* L) {
  lua_pushinteger(L, static_cast<lua_Integer>(platform(DeviceKind::sim).devices().size()));
  return 1;
}

constexpr Function kSimFunctions[] = {
    {"configure", guard<configure>,
     "{index, device, like, memory_limit, bytes_per_second, staging_bytes_per_second, "
     "pin_bytes_per_second, copy_latency, launch_cost, fail_op, fail_allocation, fail_copy}",
     "Configures a simulated accelerator: memory in bytes, copy rate, staging rate of memory that "
     "is not pinned, rate of pinning (sim:0's, for all), seconds per copy and launch; fail_* make "
     "the k-th step from now fail. like = \"H200\": uses the figures of a card described in "
     "tide.estimate, and models the times of events, benchmarks and profiles; like = false: resets "
     "them",
     "tide.sim.configure({index = 0, copy_latency = 0}); tide.ones(2):to(\"sim:0\") --> {1.0, "
     "1.0}"},
    {"device_count", guard<sim_device_count>, "", "The number of simulated accelerators",
     "tide.sim.device_count() >= 1 --> true"},
};

}  // namespace

std::span<const Function> sim_functions() { return kSimFunctions; }

}  // namespace tide::bindings
