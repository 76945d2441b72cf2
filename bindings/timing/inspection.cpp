// The engine's activity: waits, ops, kernels; and the machine's devices and libraries.
#include <string>

#include "bindings/ops/typed_function.h"
#include "bindings/support/fields.h"
#include "bindings/support/list.h"
#include "bindings/timing/functions.h"
#include "runtime/device/registry.h"
#include "runtime/ir/kernel_statistics.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

/// A table of counters.
int statistics(lua_State* L) {
  const auto engine = engine::statistics();
  const auto kernels = kernel_statistics();
  lua_createtable(L, 0, 12);
  make_list(L);
  set_field(L, "recorded", engine.recorded);
  set_field(L, "windows", engine.windows);
  set_field(L, "plans", engine.plans);
  set_field(L, "launches", engine.launches);
  set_field(L, "graphs", engine.graphs);
  set_field(L, "waits", engine::wait_count());
  set_field(L, "kernels", kernels.kernels);
  set_field(L, "compiled", kernels.compiled);
  set_field(L, "from_disk", kernels.from_disk);
  set_field(L, "compile_ms", 1e3 * kernels.compile_seconds);
  set_field(L, "lookup_ms", 1e3 * kernels.lookup_seconds);
  set_field(L, "wait_ms", 1e3 * engine::wait_seconds());
  return 1;
}

std::string info() {
  std::string text = "devices:";
  for (Device device : engine::devices()) text += " " + device.name();
  for (const DeviceKind kind : kDeviceKinds)
    if (const std::string own = platform(kind).description(); !own.empty()) text += "\n" + own;
  return text;
}

void flush() { engine::flush(); }

constexpr Function kInspectionFunctions[] = {
    typed_function<info, "info", "">("The devices and libraries found, as text",
                                     "type(tide.info()) --> \"string\""),
    typed_function<engine::wait_count, "wait_count", "">(
        "The number of times the script has waited for a device",
        "local before = tide.wait_count(); local x = tide.ones(2) + 1; tide.wait_count() - before "
        "--> "
        "0"),
    typed_function<engine::pending_ops, "pending", "">(
        "The number of ops recorded or queued but not finished",
        "local x = tide.ones(2) + 1; tide.pending() >= 1 --> true"),
    typed_function<flush, "flush", "">("Submits recorded ops to the devices; does not wait",
                                       "local x = tide.ones(2) + 1; tide.flush()"),
    typed_function<statistics, "statistics", "">(
        "A table of counters: ops recorded, windows, plans, launches, CUDA graphs run, waits, "
        "kernels "
        "compiled",
        "local before = tide.statistics().recorded; local x = tide.ones(2) + 1; "
        "tide.statistics().recorded > before --> true"),
};

}  // namespace

std::span<const Function> inspection_functions() { return kInspectionFunctions; }

int wait_report(lua_State* L) {
  push_list(L, engine::wait_report(), [L](const auto& wait) {
    lua_createtable(L, 0, 4);
    set_field(L, "place", wait.site.text());
    set_field(L, "reason", wait.reason);
    set_field(L, "count", wait.count);
    set_field(L, "ms", 1e3 * wait.seconds);
  });
  return 1;
}

}  // namespace tide::bindings
