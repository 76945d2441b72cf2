// The engine's activity: waits, ops, kernels; and the machine's devices and libraries.
#include <string>

#include "bindings/support/entry.h"
#include "bindings/support/list.h"
#include "bindings/timing/functions.h"
#include "runtime/device/registry.h"
#include "runtime/ir/kernel_statistics.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

int wait_count(lua_State* L) {
  lua_pushinteger(L, engine::wait_count());
  return 1;
}

int pending(lua_State* L) {
  lua_pushinteger(L, engine::pending_ops());
  return 1;
}

int flush(lua_State*) {
  engine::flush();
  return 0;
}

void set_count(lua_State* L, const char* name, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

int statistics(lua_State* L) {
  const auto engine = engine::statistics();
  const auto kernels = kernel_statistics();
  lua_createtable(L, 0, 12);
  make_list(L);
  set_count(L, "recorded", engine.recorded);
  set_count(L, "windows", engine.windows);
  set_count(L, "plans", engine.plans);
  set_count(L, "launches", engine.launches);
  set_count(L, "graphs", engine.graphs);
  set_count(L, "waits", engine::wait_count());
  set_count(L, "kernels", kernels.kernels);
  set_count(L, "compiled", kernels.compiled);
  set_count(L, "from_disk", kernels.from_disk);
  lua_pushnumber(L, 1e3 * kernels.compile_seconds);
  lua_setfield(L, -2, "compile_ms");
  lua_pushnumber(L, 1e3 * kernels.lookup_seconds);
  lua_setfield(L, -2, "lookup_ms");
  lua_pushnumber(L, 1e3 * engine::wait_seconds());
  lua_setfield(L, -2, "wait_ms");
  return 1;
}

int info(lua_State* L) {
  std::string text = "devices:";
  for (Device device : engine::devices()) text += " " + device.name();
  for (const DeviceKind kind : kDeviceKinds)
    if (const std::string own = platform(kind).description(); !own.empty()) text += "\n" + own;
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

constexpr Function kInspectionFunctions[] = {
    {"info", guard<info>, "", "The devices and libraries found, as text",
     "type(tide.info()) --> \"string\""},
    {"wait_count", guard<wait_count>, "", "The number of times the script has waited for a device",
     "local before = tide.wait_count(); local x = tide.ones(2) + 1; tide.wait_count() - before --> "
     "0"},
    {"pending", guard<pending>, "", "The number of ops recorded or queued but not finished",
     "local x = tide.ones(2) + 1; tide.pending() >= 1 --> true"},
    {"flush", guard<flush>, "", "Submits recorded ops to the devices; does not wait",
     "local x = tide.ones(2) + 1; tide.flush()"},
    {"statistics", guard<statistics>, "",
     "A table of counters: ops recorded, windows, plans, launches, CUDA graphs run, waits, kernels "
     "compiled",
     "local before = tide.statistics().recorded; local x = tide.ones(2) + 1; "
     "tide.statistics().recorded > before --> true"},
};

}  // namespace

std::span<const Function> inspection_functions() { return kInspectionFunctions; }

int wait_report(lua_State* L) {
  const auto waits = engine::wait_report();
  lua_createtable(L, static_cast<int>(waits.size()), 0);
  for (size_t i = 0; i < waits.size(); ++i) {
    lua_createtable(L, 0, 4);
    lua_pushstring(L, waits[i].site.text().c_str());
    lua_setfield(L, -2, "place");
    lua_pushstring(L, waits[i].reason.c_str());
    lua_setfield(L, -2, "reason");
    set_count(L, "count", waits[i].count);
    lua_pushnumber(L, 1e3 * waits[i].seconds);
    lua_setfield(L, -2, "ms");
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

}  // namespace tide::bindings
