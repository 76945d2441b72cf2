// tide.benchmark: measures the host time to queue a function and the device time to run it.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/device/functions.h"
#include "bindings/objects/device_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/fields.h"
#include "bindings/timing/functions.h"
#include "runtime/ir/kernel_statistics.h"
#include "runtime/record/engine.h"

namespace tide::bindings {

/// A running benchmark, which survives yields of the function it times.
struct Benchmark {
  std::optional<Device> device;  ///< named by the script
  /// The launch counts of devices before the measured calls.
  std::vector<std::pair<Device, int64_t>> launches;
  int warmup = 3, repeats = 10;
  int done = 0;        ///< finished calls, including warm-up
  double started = 0;  ///< start time of the measured calls
  double modelled_before = 0;
  double wait_before = 0;
  double compile_before = 0;
  double host = 0;
};
template <>
inline constexpr ClassInfo kClass<Benchmark>{"tide.Benchmark"};

namespace {

constexpr int kFunctionIndex = 1, kStateIndex = 2;

int count_of(std::optional<int64_t> count, const char* name, int64_t least, int otherwise) {
  if (!count) return otherwise;
  if (*count < least || *count > 1'000'000'000)
    throw ArgumentError("benchmark: " + std::string(name) + ": expected an integer, " +
                        std::to_string(least) + " or more");
  return static_cast<int>(*count);
}

void start_measuring(Benchmark& run) {
  engine::synchronize("benchmark");
  for (Device device : engine::used_devices()) {
    engine::reset_peak(device);
    run.launches.emplace_back(device, engine::launches(device));
  }
  run.wait_before = engine::wait_seconds();
  run.modelled_before = engine::modelled_seconds();
  run.started = engine::seconds();
}

/// The devices used since the measured calls began.
std::vector<Device> busy_devices(const Benchmark& run) {
  std::vector<Device> busy;
  for (Device device : engine::used_devices()) {
    const std::pair known{device, engine::launches(device)};
    const bool has_rested = known.second == 0 || std::find(run.launches.begin(), run.launches.end(),
                                                           known) != run.launches.end();
    if (!has_rested) busy.push_back(device);
  }
  return busy;
}

int push_report(lua_State* L, Benchmark& run) {
  const double waited = engine::wait_seconds() - run.wait_before;
  engine::flush();
  const double host = engine::seconds() - run.started - waited;
  engine::synchronize("benchmark");
  const double total = engine::seconds() - run.started;
  const double modelled = engine::modelled_seconds() - run.modelled_before;
  const std::vector<Device> busy = busy_devices(run);
  const Device device = run.device ? *run.device : busy.size() == 1 ? busy[0] : timed_device();
  const std::string card = engine::modelled_card(device);
  lua_createtable(L, 0, 10);
  set_field(L, "host_ms", 1e3 * host / run.repeats);
  set_field(L, "device_ms", 1e3 * (card.empty() ? total : modelled) / run.repeats);
  set_text(L, "modelled_for", card);
  set_field(L, "wait_ms", 1e3 * waited / run.repeats);
  set_field(L, "compile_ms", 1e3 * (kernel_statistics().compile_seconds - run.compile_before));
  set_field(L, "peak_bytes", engine::memory(device).peak);
  set_field(L, "runs", run.repeats);
  push_device(L, device);
  lua_setfield(L, -2, "device");
  push_result(L, busy);
  lua_setfield(L, -2, "devices");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kClass<Benchmark>);
  lua_getfield(L, -1, "report");
  lua_remove(L, -2);
  lua_setmetatable(L, -2);
  return 1;
}

/// Flushes each call separately, so that the measured calls have the same windows and kernels as
/// the first.
void finish_call(Benchmark& run) {
  engine::flush();
  ++run.done;
}

int next_call(lua_State* L);

int finish_yielded(lua_State* L) {
  lua_settop(L, kStateIndex);
  finish_call(check<Benchmark>(L, kStateIndex, "benchmark"));
  return next_call(L);
}

/// Continues after a call of the function that yielded.
int after_call(lua_State* L, int, lua_KContext) {
  return guard<finish_yielded>(L);  // exceptions must not leave a continuation
}

int next_call(lua_State* L) {
  Benchmark& run = check<Benchmark>(L, kStateIndex, "benchmark");
  while (run.done < run.warmup + run.repeats) {
    if (run.done == run.warmup) start_measuring(run);
    lua_pushvalue(L, kFunctionIndex);
    lua_callk(L, 0, 0, 0, after_call);
    finish_call(run);
  }
  return push_report(L, run);
}

int benchmark(lua_State* L, [[maybe_unused]] Callable fn, std::optional<int64_t> warmup,
              std::optional<int64_t> repeats, std::optional<Device> device) {
  Benchmark settings;
  settings.device = device;
  settings.warmup = count_of(warmup, "warmup", 0, settings.warmup);
  settings.repeats = count_of(repeats, "repeats", 1, settings.repeats);
  settings.compile_before = kernel_statistics().compile_seconds;
  lua_settop(L, kFunctionIndex);
  push_object(L, settings);
  return next_call(L);
}

double number_field(lua_State* L, const char* name) {
  lua_getfield(L, 1, name);
  const double value = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

/// " on sim:0", or " on several devices: cpu, sim:0"; empty if no device was used.
std::string places_text(lua_State* L) {
  std::string names;
  lua_getfield(L, 1, "devices");
  const lua_Integer count = static_cast<lua_Integer>(lua_rawlen(L, -1));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, -1, i);
    names += (i > 1 ? ", " : "") + std::string(luaL_tolstring(L, -1, nullptr));
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  if (count == 0) return "";
  return (count > 1 ? " on several devices: " : " on ") + names;
}

/// Formats a time of the report in microseconds, milliseconds or seconds, with three digits.
std::string time_text(lua_State* L, const char* field) {
  const double ms = number_field(L, field);
  char text[32];
  if (ms == 0) return "0 ms";
  if (ms < 0.9995) {
    snprintf(text, sizeof text, "%.3g us", ms * 1e3);
  } else if (ms < 999.5) {
    snprintf(text, sizeof text, "%.3g ms", ms);
  } else {
    snprintf(text, sizeof text, "%.2f s", ms / 1e3);
  }
  return text;
}

int report_tostring(lua_State* L) {
  char text[256];
  snprintf(text, sizeof text, "host %s, device %s, compile %s, wait %s, peak %.1f MB, %d runs",
           time_text(L, "host_ms").c_str(), time_text(L, "device_ms").c_str(),
           time_text(L, "compile_ms").c_str(), time_text(L, "wait_ms").c_str(),
           number_field(L, "peak_bytes") / (1 << 20), static_cast<int>(number_field(L, "runs")));
  std::string line = text + places_text(L);
  if (lua_getfield(L, 1, "modelled_for") == LUA_TSTRING)
    line += std::string("; device: modelled for ") + lua_tostring(L, -1);
  lua_pushlstring(L, line.data(), line.size());
  return 1;
}

constexpr Function kBenchmarkFunctions[] = {
    typed_function<benchmark, "benchmark", "fn, {warmup, repeats, device}">(
        "Calls fn repeatedly and returns a table: host_ms (queueing), device_ms, compile_ms, "
        "wait_ms, peak_bytes, runs, devices (those used) and device (the one named, the only one "
        "used, or the default device), to which the peak refers. device_ms ends when all devices "
        "have "
        "finished; if the device is a sim configured like a card (tide.sim.configure), it is "
        "modelled "
        "for the card named in modelled_for",
        "tide.benchmark(function() return tide.ones(10) + 1 end, {repeats = 3}).runs --> 3"),
};

}  // namespace

std::span<const Function> benchmark_functions() { return kBenchmarkFunctions; }

void open_benchmark(lua_State* L) {
  const luaL_Reg none[] = {{nullptr, nullptr}};
  open_class<Benchmark>(L, none, none);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, report_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_setfield(L, -2, "report");
  lua_pop(L, 1);
}

}  // namespace tide::bindings
