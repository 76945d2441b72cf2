// tide.sim: settings of the simulated accelerators.
#include <optional>
#include <string>

#include "bindings/device/card.h"
#include "bindings/device/functions.h"
#include "bindings/objects/device_object.h"
#include "bindings/ops/typed_function.h"
#include "runtime/device/registry.h"
#include "runtime/device/sim_options.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

/// Upper bounds of options, which fit every integer type.
constexpr double kMostCount = 1e15, kMostSeconds = 3600;

/// Sets an option if it was given.
template <class T>
void set_option(T& option, std::optional<double> given, const char* name,
                double most = kMostCount) {
  if (!given) return;
  const double value = *given;
  if (!(value >= 0 && value <= most))
    throw ArgumentError("sim.configure: " + std::string(name) + ": expected a non-negative number" +
                        (value > most ? ", and a smaller one" : ""));
  option = static_cast<T>(value);
}

/// Reads the figures of the card named at `index`; resets them if it is false.
void read_like(lua_State* L, int index, SimOptions& options) {
  if (lua_isnil(L, index)) return;
  options.like.emplace();
  if (lua_isboolean(L, index) && !lua_toboolean(L, index)) return;
  push_module(L, "tide.tools.estimate.cards");
  lua_getfield(L, -1, "find");
  lua_pushliteral(L, "sim.configure: like");
  lua_pushvalue(L, index);
  lua_call(L, 2, 1);
  *options.like = card_at(L, lua_gettop(L));
  lua_getfield(L, -1, "memory");
  options.memory_limit = static_cast<size_t>(lua_tonumber(L, -1));
  lua_pop(L, 3);
}

int configure(lua_State* L, std::optional<double> index, std::optional<Device> device, Value like,
              std::optional<double> memory_limit, std::optional<double> bytes_per_second,
              std::optional<double> staging_bytes_per_second,
              std::optional<double> pin_bytes_per_second, std::optional<double> copy_latency,
              std::optional<double> launch_cost, std::optional<double> fail_op,
              std::optional<double> fail_allocation, std::optional<double> fail_copy) {
  if (device && device->kind != DeviceKind::sim)
    throw DeviceError("sim.configure: not a simulated device: " + device->name());
  int sim = device ? device->index : 0;
  set_option(sim, index, "index", 255);
  SimOptions options;
  read_like(L, like.index, options);
  set_option(options.memory_limit, memory_limit, "memory_limit");
  set_option(options.bytes_per_second, bytes_per_second, "bytes_per_second");
  set_option(options.staging_bytes_per_second, staging_bytes_per_second,
             "staging_bytes_per_second");
  set_option(options.pin_bytes_per_second, pin_bytes_per_second, "pin_bytes_per_second");
  set_option(options.copy_latency, copy_latency, "copy_latency", kMostSeconds);
  set_option(options.launch_cost, launch_cost, "launch_cost", kMostSeconds);
  set_option(options.fail_op, fail_op, "fail_op");
  set_option(options.fail_allocation, fail_allocation, "fail_allocation");
  set_option(options.fail_copy, fail_copy, "fail_copy");
  engine::configure_sim(sim, options);
  return 0;
}

int64_t sim_device_count() {
  return static_cast<int64_t>(platform(DeviceKind::sim).devices().size());
}

constexpr Function kSimFunctions[] = {
    typed_function<
        configure, "sim.configure",
        "{index, device, like, memory_limit, bytes_per_second, staging_bytes_per_second, "
        "pin_bytes_per_second, copy_latency, launch_cost, fail_op, fail_allocation, fail_copy}">(
        "Configures a simulated accelerator: memory in bytes, copy rate, staging rate of memory "
        "that "
        "is not pinned, rate of pinning (sim:0's, for all), seconds per copy and launch; fail_* "
        "make "
        "the k-th step from now fail. like = \"H200\": uses the figures of a card described in "
        "tide.estimate, and models the times of events, benchmarks and profiles; like = false: "
        "resets "
        "them",
        "tide.sim.configure({index = 0, copy_latency = 0}); tide.ones(2):to(\"sim:0\") --> {1.0, "
        "1.0}"),
    typed_function<sim_device_count, "sim.device_count", "">(
        "The number of simulated accelerators", "tide.sim.device_count() >= 1 --> true"),
};

}  // namespace

std::span<const Function> sim_functions() { return kSimFunctions; }

}  // namespace tide::bindings
