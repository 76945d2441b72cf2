// Traces as Lua values.
#include "bindings/profiler/functions.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bindings/ops/typed_function.h"
#include "bindings/profiler/launch_fields.h"
#include "bindings/profiler/trace_files.h"
#include "bindings/profiler/trace_tables.h"
#include "bindings/support/embedded.h"
#include "bindings/support/fields.h"
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

bool start(int64_t events) {
  const bool started = profile::start(static_cast<size_t>(events));
  if (started) profile_line(current_call_site());
  return started;
}

std::optional<TraceObject> stop() {
  auto trace = profile::stop();
  if (!trace) return std::nullopt;
  DeviceTexts cards, clocks;
  for (const Device device : engine::used_devices()) {
    if (std::string card = engine::modelled_card(device); !card.empty())
      cards.emplace(device.name(), std::move(card));
    if (std::string clock = engine::profile_clock(device); !clock.empty())
      clocks.emplace(device.name(), std::move(clock));
  }
  return TraceObject{
      std::make_shared<TraceReader>(std::move(trace), std::move(cards), std::move(clocks))};
}

void synchronize() { engine::synchronize("profile"); }

void add_range(std::string_view name, int64_t begin) {
  if (!profile::is_on()) return;
  profile::Event event{.begin = begin, .end = profile::now()};
  event.name = profile::keep_text(name);
  event.kind = profile::EventKind::range;
  profile::add(event);
}

std::optional<int64_t> start_tool_range(const std::string& name) {
  const profile::NvtxTool& tool = profile::nvtx_tool();
  if (!tool.start) return std::nullopt;
  return static_cast<int64_t>(tool.start(name.c_str()));
}

void end_tool_range(int64_t range) {
  const profile::NvtxTool& tool = profile::nvtx_tool();
  if (tool.end) tool.end(static_cast<uint64_t>(range));
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

std::string line() { return current_call_site().text(); }

std::string device_name(Device device) { return platform(device.kind).name(device.index); }

std::optional<std::string> cache_folder() {
  std::string folder = platform(Device{}.kind).kernel_cache_folder();
  return folder.empty() ? std::nullopt : std::optional(std::move(folder));
}

void set_site(lua_State* L, CallSite site) {
  if (!site.known()) return;
  set_field(L, "file", site.file);
  set_field(L, "line", site.line);
}

/// Sets `inputs` and `outputs`, lists of {dtype, channels_last, sizes...}.
void set_operands(lua_State* L, const profile::Computation& computation) {
  const auto set_list = [L](const char* name, const std::vector<profile::Operand>& operands) {
    push_list(L, operands, [L](const profile::Operand& operand) {
      push_list(L, operand.layout.shape, [L](int64_t size) { lua_pushinteger(L, size); });
      set_field(L, "dtype", name_of(operand.type));
      set_field(L, "channels_last", operand.layout.is_channels_last());
    });
    lua_setfield(L, -2, name);
  };
  set_list("inputs", computation.inputs);
  set_list("outputs", computation.outputs);
}

void push_row(lua_State* L, const TraceRow& row) {
  lua_createtable(L, 0, 16);
  set_text(L, "name", row.name);
  set_site(L, row.site);
  set_text(L, "device", row.device);
  set_field(L, "calls", row.calls);
  set_field(L, "host_ms", row.host * 1e-6);
  set_field(L, "device_ms", row.device_time * 1e-6);
  set_field(L, "wait_ms", row.wait * 1e-6);
  set_field(L, "bytes", row.bytes);
  set_field(L, "flops", row.flops);
  set_text(L, "awaited", row.awaited);
  set_text(L, "advice", row.advice);
  set_text(L, "kind", row.kind);
  set_text(L, "dtype", row.dtype);
  set_text(L, "kernel", row.kernel);
  set_field(L, "late", row.late);
  if (row.computation) set_operands(L, *row.computation);
  if (row.launch) set_launch_fields(L, *row.launch);
  if (row.sites.empty()) return;
  push_list(L, row.sites, [L](CallSite site) { push_field(L, site.text()); });
  lua_setfield(L, -2, "lines");
}

int trace_rows(lua_State* L, const TraceObject& trace, std::string_view by) {
  push_list(L, rows_of(*trace.reader, by), [L](const TraceRow& row) { push_row(L, row); });
  return 1;
}

int trace_summary(lua_State* L, const TraceObject& trace) {
  const TraceReader& reader = *trace.reader;
  lua_createtable(L, 0, 4);
  set_field(L, "wall_ms", static_cast<double>(reader.length()) * 1e-6);
  set_field(L, "events", reader.count());
  set_field(L, "dropped", reader.trace().dropped);
  push_list(L, summaries_of(reader), [L](const DeviceSummary& device) {
    lua_createtable(L, 0, 6);
    set_text(L, "name", device.name);
    set_field(L, "launches", device.launches);
    set_field(L, "device_ms", device.work * 1e-6);
    set_field(L, "busy_ms", device.busy * 1e-6);
    set_field(L, "peak_bytes", device.peak_bytes);
    set_text(L, "modelled_for", device.card);
    set_text(L, "clock", device.clock);
  });
  lua_setfield(L, -2, "devices");
  return 1;
}

void trace_write_json(const TraceObject& trace, const std::string& path) {
  write_chrome_trace(*trace.reader, path);
}

/// The result of the function, which does not raise errors.
std::string code_of(lua_State* L, Callable function, CallSite site) {
  lua_pushvalue(L, function.index);
  lua_pushstring(L, site.file);
  lua_pushinteger(L, site.line);
  std::string text;
  if (lua_pcall(L, 2, 1, 0) == LUA_OK && lua_isstring(L, -1)) text = lua_tostring(L, -1);
  lua_pop(L, 1);
  return text;
}

int trace_write_page(lua_State* L, const TraceObject& trace, const std::string& path,
                     Callable code) {
  const auto page = read_script(kPage);
  if (!page) throw Error(std::string("save: ") + kPage + " is not part of this build");
  write_trace_page(*trace.reader, path, *page,
                   [=](CallSite site) { return code_of(L, code, site); });
  return 0;
}

}  // namespace

std::span<const luaL_Reg> profiler_functions() {
  static constexpr luaL_Reg functions[] = {
      kNative<start, "start", "events">,
      kNative<stop, "stop", "">,
      kNative<profile::is_on, "is_on", "">,
      kNative<synchronize, "synchronize", "">,
      kNative<profile::now, "now", "">,
      kNative<add_range, "add_range", "name, begin">,
      kNative<start_tool_range, "start_tool_range", "name">,
      kNative<end_tool_range, "end_tool_range", "range">,
      {"close_profile", close_profile},
      kNative<line, "line", "">,
      kNative<device_name, "device_name", "device">,
      kNative<cache_folder, "cache_folder", "">,
  };
  return functions;
}

void open_trace_class(lua_State* L) {
  const luaL_Reg none[] = {{nullptr, nullptr}};
  const luaL_Reg methods[] = {kNative<trace_rows, "rows", "trace, by">,
                              kNative<trace_summary, "summary", "trace">,
                              kNative<trace_write_json, "write_json", "trace, path">,
                              kNative<trace_write_page, "write_page", "trace, path, code">,
                              {nullptr, nullptr}};
  open_class<TraceObject>(L, none, methods);
  lua_pop(L, 1);
}

}  // namespace tide::bindings
