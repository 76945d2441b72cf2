// Traces as Lua values.
#include "bindings/profiler/functions.h"

#include <memory>
#include <string>

#include "bindings/objects/device_object.h"
#include "bindings/profiler/launch_fields.h"
#include "bindings/profiler/trace_files.h"
#include "bindings/profiler/trace_tables.h"
#include "bindings/support/embedded.h"
#include "bindings/support/object.h"
#include "runtime/device/registry.h"
#include "runtime/profile/nvtx.h"
#include "runtime/record/engine.h"

namespace tide::bindings {

/// A profile that has ended.
struct TraceObject {
  std::shared_ptr<const TraceReader> reader;
};
template <>
inline constexpr ClassInfo kClass<TraceObject>{"tide.Trace", "trace"};

namespace {

constexpr char kPage[] = "tide/tools/profiler/timeline.html";

int start(lua_State* L) {
  const bool started = profile::start(static_cast<size_t>(luaL_checkinteger(L, 1)));
  if (started) profile_line(current_call_site());
  lua_pushboolean(L, started);
  return 1;
}

int stop(lua_State* L) {
  auto trace = profile::stop();
  if (!trace) return 0;
  DeviceTexts cards, clocks;
  for (const Device device : engine::used_devices()) {
    if (std::string card = engine::modelled_card(device); !card.empty())
      cards.emplace(device.name(), std::move(card));
    if (std::string clock = engine::profile_clock(device); !clock.empty())
      clocks.emplace(device.name(), std::move(clock));
  }
  push_object(L, TraceObject{std::make_shared<TraceReader>(std::move(trace), std::move(cards),
                                                           std::move(clocks))});
  return 1;
}

int is_on(lua_State* L) {
  lua_pushboolean(L, profile::is_on());
  return 1;
}

int synchronize(lua_State*) {
  engine::synchronize("profile");
  return 0;
}

int now(lua_State* L) {
  lua_pushinteger(L, profile::now());
  return 1;
}

int add_range(lua_State* L) {
  if (!profile::is_on()) return 0;
  size_t size;
  const char* const name = luaL_checklstring(L, 1, &size);
  profile::Event event{.begin = luaL_checkinteger(L, 2), .end = profile::now()};
  event.name = profile::keep_text({name, size});
  event.kind = profile::EventKind::range;
  profile::add(event);
  return 0;
}

int start_tool_range(lua_State* L) {
  const profile::NvtxTool& tool = profile::nvtx_tool();
  if (!tool.start) return 0;
  lua_pushinteger(L, static_cast<lua_Integer>(tool.start(luaL_checkstring(L, 1))));
  return 1;
}

int end_tool_range(lua_State* L) {
  const profile::NvtxTool& tool = profile::nvtx_tool();
  if (tool.end) tool.end(static_cast<uint64_t>(luaL_checkinteger(L, 1)));
  return 0;
}

/// __close of a profile. If an interrupt ends the first attempt with the hook's error, tries again.
/// If no other error is in progress, raises the error of the first attempt.
int close_profile(lua_State* L) {
  lua_settop(L, 2);
  for (int tries = 0; tries < 2; ++tries) {
    lua_getfield(L, 1, "stop");
    lua_pushvalue(L, 1);
    if (lua_pcall(L, 1, 0, 0) == LUA_OK) break;
  }
  if (lua_gettop(L) == 2 || !lua_isnil(L, 2)) return 0;
  lua_settop(L, 3);
  return lua_error(L);
}

int line(lua_State* L) {
  lua_pushstring(L, current_call_site().text().c_str());
  return 1;
}

int device_name(lua_State* L) {
  const Device device = check<Device>(L, 1, "device_name");
  lua_pushstring(L, platform(device.kind).name(device.index).c_str());
  return 1;
}

int cache_folder(lua_State* L) {
  const std::string folder = platform(Device{}.kind).kernel_cache_folder();
  if (folder.empty()) return 0;
  lua_pushlstring(L, folder.data(), folder.size());
  return 1;
}

const TraceReader& reader_at(lua_State* L, const char* function) {
  return *check<TraceObject>(L, 1, function).reader;
}

void set(lua_State* L, const char* name, double value) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, name);
}

void set(lua_State* L, const char* name, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

/// Sets a field, unless the text is empty.
void set(lua_State* L, const char* name, const std::string& value) {
  if (value.empty()) return;
  lua_pushlstring(L, value.data(), value.size());
  lua_setfield(L, -2, name);
}

void set_site(lua_State* L, CallSite site) {
  if (!site.known()) return;
  set(L, "file", std::string(site.file));
  set(L, "line", static_cast<int64_t>(site.line));
}

/// Sets `inputs` and `outputs`, lists of {dtype, channels_last, sizes...}.
void set_operands(lua_State* L, const profile::Computation& computation) {
  const auto set_list = [L](const char* name, const std::vector<profile::Operand>& operands) {
    lua_createtable(L, static_cast<int>(operands.size()), 0);
    for (size_t i = 0; i < operands.size(); ++i) {
      const Layout& layout = operands[i].layout;
      lua_createtable(L, layout.rank(), 2);
      set(L, "dtype", std::string(name_of(operands[i].type)));
      lua_pushboolean(L, layout.is_channels_last());
      lua_setfield(L, -2, "channels_last");
      for (int d = 0; d < layout.rank(); ++d) {
        lua_pushinteger(L, layout.shape[d]);
        lua_rawseti(L, -2, d + 1);
      }
      lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
    }
    lua_setfield(L, -2, name);
  };
  set_list("inputs", computation.inputs);
  set_list("outputs", computation.outputs);
}

void push_row(lua_State* L, const TraceRow& row) {
  lua_createtable(L, 0, 16);
  set(L, "name", row.name);
  set_site(L, row.site);
  set(L, "device", row.device);
  set(L, "calls", row.calls);
  set(L, "host_ms", row.host * 1e-6);
  set(L, "device_ms", row.device_time * 1e-6);
  set(L, "wait_ms", row.wait * 1e-6);
  set(L, "bytes", row.bytes);
  set(L, "flops", row.flops);
  set(L, "awaited", row.awaited);
  set(L, "advice", row.advice);
  set(L, "kind", row.kind);
  set(L, "dtype", row.dtype);
  set(L, "kernel", row.kernel);
  set(L, "late", row.late);
  if (row.computation) set_operands(L, *row.computation);
  if (row.launch) set_launch_fields(L, *row.launch);
  if (row.sites.empty()) return;
  lua_createtable(L, static_cast<int>(row.sites.size()), 0);
  for (size_t i = 0; i < row.sites.size(); ++i) {
    lua_pushstring(L, row.sites[i].text().c_str());
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_setfield(L, -2, "lines");
}

int trace_rows(lua_State* L) {
  const std::vector<TraceRow> rows = rows_of(reader_at(L, "rows"), luaL_checkstring(L, 2));
  lua_createtable(L, static_cast<int>(rows.size()), 0);
  for (size_t i = 0; i < rows.size(); ++i) {
    push_row(L, rows[i]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

int trace_summary(lua_State* L) {
  const TraceReader& reader = reader_at(L, "summary");
  lua_createtable(L, 0, 4);
  set(L, "wall_ms", static_cast<double>(reader.length()) * 1e-6);
  set(L, "events", reader.count());
  set(L, "dropped", reader.trace().dropped);
  const std::vector<DeviceSummary> devices = summaries_of(reader);
  lua_createtable(L, static_cast<int>(devices.size()), 0);
  for (size_t i = 0; i < devices.size(); ++i) {
    lua_createtable(L, 0, 6);
    set(L, "name", devices[i].name);
    set(L, "launches", devices[i].launches);
    set(L, "device_ms", devices[i].work * 1e-6);
    set(L, "busy_ms", devices[i].busy * 1e-6);
    set(L, "peak_bytes", devices[i].peak_bytes);
    set(L, "modelled_for", devices[i].card);
    set(L, "clock", devices[i].clock);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_setfield(L, -2, "devices");
  return 1;
}

int trace_write_json(lua_State* L) {
  write_chrome_trace(reader_at(L, "save"), luaL_checkstring(L, 2));
  return 0;
}

/// The result of the function at index 3, which does not raise errors.
std::string code_of(lua_State* L, CallSite site) {
  lua_pushvalue(L, 3);
  lua_pushstring(L, site.file);
  lua_pushinteger(L, site.line);
  std::string text;
  if (lua_pcall(L, 2, 1, 0) == LUA_OK && lua_isstring(L, -1)) text = lua_tostring(L, -1);
  lua_pop(L, 1);
  return text;
}

int trace_write_page(lua_State* L) {
  const auto page = read_script(kPage);
  if (!page) throw Error(std::string("save: ") + kPage + " is not part of this build");
  write_trace_page(reader_at(L, "save"), luaL_checkstring(L, 2), *page,
                   [L](CallSite site) { return code_of(L, site); });
  return 0;
}

}  // namespace

std::span<const luaL_Reg> profiler_functions() {
  static constexpr luaL_Reg functions[] = {
      {"start", guard<start>},
      {"stop", guard<stop>},
      {"is_on", is_on},
      {"synchronize", guard<synchronize>},
      {"now", now},
      {"add_range", guard<add_range>},
      {"start_tool_range", start_tool_range},
      {"end_tool_range", end_tool_range},
      {"close_profile", close_profile},
      {"line", guard<line>},
      {"device_name", guard<device_name>},
      {"cache_folder", guard<cache_folder>},
  };
  return functions;
}

void open_trace_class(lua_State* L) {
  const luaL_Reg none[] = {{nullptr, nullptr}};
  const luaL_Reg methods[] = {{"rows", guard<trace_rows>},
                              {"summary", guard<trace_summary>},
                              {"write_json", guard<trace_write_json>},
                              {"write_page", guard<trace_write_page>},
                              {nullptr, nullptr}};
  open_class<TraceObject>(L, none, methods);
  lua_pop(L, 1);
}

}  // namespace tide::bindings
