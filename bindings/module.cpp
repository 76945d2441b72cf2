// Opens the `tide` table, and implements the functions for host programs.
#include "bindings/module.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "bindings/device/card.h"
#include "bindings/device/functions.h"
#include "bindings/explain/functions.h"
#include "bindings/io/archives.h"
#include "bindings/io/csv.h"
#include "bindings/io/files.h"
#include "bindings/io/functions.h"
#include "bindings/io/images.h"
#include "bindings/io/onnx.h"
#include "bindings/io/scratch.h"
#include "bindings/modes/interrupts.h"
#include "bindings/modes/modes.h"
#include "bindings/objects/device_object.h"
#include "bindings/objects/generator_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/ops/dispatch.h"
#include "bindings/ops/typed_function.h"
#include "bindings/profiler/functions.h"
#include "bindings/reference/notations.h"
#include "bindings/reference/notes.h"
#include "bindings/reference/reference.h"
#include "bindings/support/embedded.h"
#include "bindings/support/entry.h"
#include "bindings/support/list.h"
#include "bindings/support/math_random.h"
#include "bindings/tensor/custom_gradient.h"
#include "bindings/tensor/methods.h"
#include "bindings/tensor/recorded_call.h"
#include "bindings/tensor/recurrence.h"
#include "bindings/threads/functions.h"
#include "bindings/timing/functions.h"
#include "runtime/device/registry.h"
#include "runtime/ops/random/random.h"
#include "runtime/os/file_access.h"
#include "runtime/os/memory_budget.h"
#include "runtime/os/plugin_path.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

/// Destroyed with the state, to clear this thread's references to it.
struct StateEnd {
  StateEnd() = default;
  StateEnd(StateEnd&& other) noexcept : active(std::exchange(other.active, false)) {}
  ~StateEnd() {
    if (active) thread_context = {};
  }
  bool active = true;
};

}  // namespace

template <>
inline constexpr ClassInfo kClass<StateEnd>{"tide.StateEnd"};

namespace {

/// The folders of the library whose modules are fields of `tide`.
constexpr std::string_view kFieldFolders[] = {"tide/", "tide/tools/", "tide/ops/"};

/// Pushes the name of the module that field `name` of `tide` holds; false if there is none.
bool push_module_name(lua_State* L, std::string_view name) {
  if (name.find_first_of("./") != std::string_view::npos) return false;
  for (std::string_view folder : kFieldFolders) {
    std::string path = std::string(folder) + std::string(name);
    if (!read_script(path + ".lua") && !read_script(path + "/init.lua")) continue;
    std::replace(path.begin(), path.end(), '/', '.');
    lua_pushlstring(L, path.data(), path.size());
    return true;
  }
  return false;
}

/// __index of `tide`: loads modules of the library on first use. Any other name is an error.
int load_submodule(lua_State* L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  if (!push_module_name(L, lua_tostring(L, 2))) return raise_unknown_name(L, "tide");
  push_module(L, lua_tostring(L, -1));
  lua_remove(L, -2);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -2);
  lua_rawset(L, 1);
  return 1;
}

/// native.unknown_name(place, name, value, hint?): raises the error about an unknown name.
int unknown_name(lua_State* L) {
  push_module(L, kUnknownName);
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 0);
  return 0;
}

/// __names of `tide`: the modules that are not loaded yet.
int submodule_names(lua_State* L) {
  lua_newtable(L);
  for (std::string name : library_modules()) {
    std::replace(name.begin(), name.end(), '.', '/');
    const size_t folder_end = name.rfind('/') + 1;
    const std::string_view folder = std::string_view(name).substr(0, folder_end);
    if (std::ranges::find(kFieldFolders, folder) == std::end(kFieldFolders)) continue;
    lua_pushliteral(L, "");
    lua_setfield(L, -2, name.c_str() + folder_end);
  }
  return 1;
}

/// __tostring of a library table; upvalue: its path.
int table_text(lua_State* L) {
  const char* const place = lua_tostring(L, lua_upvalueindex(1));
  lua_pushfstring(L, "module %s: see ?%s", place, place);
  return 1;
}

/// native.module_text(place): the __tostring of the library table with that path.
int module_text(lua_State* L, const std::string& place) {
  lua_pushlstring(L, place.data(), place.size());
  lua_pushcclosure(L, table_text, 1);
  return 1;
}

/// Makes reading an unknown name of the table on top of the stack an error, and assigns the table
/// to field `name` of the one below it.
void set_strict_field(lua_State* L, const char* name) {
  lua_createtable(L, 0, 2);
  const char* const place = lua_pushfstring(L, "tide.%s", name);
  push_strict_index(L, place);
  lua_setfield(L, -3, "__index");
  lua_pushcclosure(L, table_text, 1);
  lua_setfield(L, -2, "__tostring");
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, name);
}

/// Adds a table of functions as field `name` of the table on top of the stack.
void add_table(lua_State* L, const char* name, std::span<const Function> functions) {
  lua_createtable(L, 0, static_cast<int>(functions.size()));
  register_functions(L, functions);
  set_strict_field(L, name);
}

/// Adds the names of types to the table on top of the stack, with the full names as values.
void add_dtype_names(lua_State* L) {
  for (const auto& [name, type] : type_names()) {
    const std::string_view full = name_of(type);
    lua_pushlstring(L, full.data(), full.size());
    lua_setfield(L, -2, name.c_str());
  }
}

void begin_state() {
  engine::begin_state();
  note_opening();
}

void begin_step() {
  engine::begin_step();
  note_opening();
}

/// end_step(error): if there is an error, discards the step.
void end_step(const std::optional<Value>& error) { engine::end_step(!error); }

/// trial(fn): like pcall(fn), but discards the ops it records; ops queued before stay queued.
int trial(lua_State* L, Callable fn) {
  lua_settop(L, fn.index);
  engine::begin_trial();
  const int status = lua_pcall(L, 0, LUA_MULTRET, 0);
  engine::end_trial();
  lua_pushboolean(L, status == LUA_OK);
  lua_insert(L, 1);
  return lua_gettop(L);
}

/// Adds functions without help to the table on top of the stack.
void add_library(lua_State* L, std::span<const luaL_Reg> functions) {
  for (const luaL_Reg& function : functions) {
    lua_pushcfunction(L, function.func);
    lua_setfield(L, -2, function.name);
  }
}

/// Adds functions as a table of `tide.native`, which is on top of the stack.
void add_native_table(lua_State* L, const char* name, std::span<const luaL_Reg> functions) {
  lua_createtable(L, 0, static_cast<int>(functions.size()));
  add_library(L, functions);
  lua_setfield(L, -2, name);
}

/// Adds internal functions of the library: require "tide.native".
void add_native(lua_State* L) {
  lua_createtable(L, 0, 8);
  lua_createtable(L, 0, 96);
  register_ops(L, OpScope::functional);
  lua_setfield(L, -2, "functional");
  push_tensor_methods(L);
  lua_setfield(L, -2, "methods");
  add_native_table(L, "images", image_functions());
  add_native_table(L, "archives", archive_functions());
  add_native_table(L, "profiler", profiler_functions());
  add_native_table(L, "explain", explain_functions());
  add_native_table(L, "estimate", estimate_functions());
  const luaL_Reg functions[] = {{"reference", push_reference},
                                {"notes", push_notes},
                                {"environment", push_environment},
                                kNative<begin_state, "begin_state", "">,
                                kNative<engine::end_state, "end_state", "">,
                                kNative<begin_step, "begin_step", "">,
                                kNative<end_step, "end_step", "error?">,
                                kNative<trial, "trial", "fn">,
                                {"unknown_name", unknown_name},
                                {"hold_interrupts", hold_interrupts},
                                {"take_interrupt", take_interrupt},
                                {"release_interrupts", release_interrupts},
                                {"watch_scopes", watch_scopes},
                                kNative<wait_report, "wait_report", "">,
                                kNative<memory_figures, "memory_figures", "device?">,
                                kNative<blocks_of, "blocks_of", "x">,
                                kNative<device_figures, "device_figures", "">,
                                kNative<math_random_state, "math_random_state", "state?">,
                                kNative<module_text, "module_text", "place">,
                                {nullptr, nullptr}};
  luaL_setfuncs(L, functions, 0);
  for (const auto& table : {file_functions(), csv_functions(), onnx_functions(),
                            terminal_functions(), safetensors_functions(), recurrence_functions(),
                            custom_gradient_functions(), recorded_call_functions()})
    add_library(L, table);
  push_list_metatable(L);
  lua_setfield(L, -2, "list");
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_insert(L, -2);
  lua_setfield(L, -2, "tide.native");
  lua_pop(L, 1);
}

void open_classes(lua_State* L) {
  open_tensor_class(L);
  open_device_class(L);
  open_event_classes(L);
  open_modes(L);
  open_generator_class(L);
  open_benchmark(L);
  open_grad_function_class(L);
  open_dlpack(L);
  open_thread_class(L);
  open_channel_class(L);
  open_archive_class(L);
  open_csv_text(L);
  open_trace_class(L);
  open_explain_classes(L);
  open_recorded_call_classes(L);
  const luaL_Reg none[] = {{nullptr, nullptr}};
  open_class<StateEnd>(L, none, none);
  lua_pop(L, 1);
  push_object(L, StateEnd());
  luaL_ref(L, LUA_REGISTRYINDEX);
}

void add_functions(lua_State* L) {
  register_ops(L, OpScope::function);
  add_dtype_names(L);
  lua_pushliteral(L, TIDE_VERSION);
  lua_setfield(L, -2, "version");
  for (const FunctionFamily& family : function_families())
    if (std::string_view(family.prefix) == "tide.") register_functions(L, family.functions);
  add_table(L, "np", numpy_functions());
  add_table(L, "sim", sim_functions());
  lua_createtable(L, 0, 24);
  register_functions(L, cuda_functions());
  register_functions(L, event_functions());
  add_cuda_memory_functions(L);
  set_strict_field(L, "cuda");
  lua_createtable(L, 0, 4);
  register_ops(L, OpScope::linalg);
  set_strict_field(L, "linalg");
  lua_createtable(L, 0, 40);
  register_ops(L, OpScope::special);
  set_strict_field(L, "special");
}

int open(lua_State* L) {
  luaL_checkversion(L);
  open_collector(L);
  open_list(L);
  open_classes(L);
  add_library_searcher(L);
  lua_createtable(L, 0, 512);
  add_functions(L);
  lua_createtable(L, 0, 3);
  lua_pushliteral(L, "tide");
  lua_pushcclosure(L, table_text, 1);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, guard_lookup<load_submodule>);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, guard_lookup<submodule_names>);
  lua_setfield(L, -2, "__names");
  lua_setmetatable(L, -2);
  add_native(L);
  return 1;
}

bool report_syncs = false;
bool profiles = false;

/// Pushes a function of tide.advise.command.
void push_profiler_command(lua_State* L, const char* name) {
  push_module(L, "tide.tools.advise.command");
  lua_getfield(L, -1, name);
  lua_remove(L, -2);
}

int finish_profile(lua_State* L) {
  push_profiler_command(L, "finish");
  lua_call(L, 0, 0);
  return 0;
}

int set_options(lua_State* L) {
  const auto& options = *static_cast<const TideOptions*>(lua_touserdata(L, 1));
  if (!options.accelerator.empty()) set_accelerator(options.accelerator);
  if (!options.device.empty()) {
    set_accelerator(options.device);
    set_default_device(accelerator());
  }
  if (options.seed) default_generator().manual_seed(static_cast<uint64_t>(*options.seed));
  report_syncs = options.syncs;
  profiles = !options.profile.empty() || options.profile_lines || options.advise;
  if (!profiles) return 0;
  push_profiler_command(L, "start");
  lua_pushstring(L, options.profile.c_str());
  lua_pushboolean(L, options.profile_lines);
  lua_pushboolean(L, options.advise);
  lua_call(L, 3, 0);
  return 0;
}

}  // namespace
}  // namespace tide::bindings

using namespace tide::bindings;

extern "C" __attribute__((visibility("default"))) int luaopen_tide(lua_State* L) {
  return guard_lookup<tide::bindings::open>(L);
}

void tide_set_options(lua_State* L, const TideOptions& options) {
  lua_pushcfunction(L, guard<set_options>);
  lua_pushlightuserdata(L, const_cast<TideOptions*>(&options));
  lua_call(L, 1, 0);
}

void tide_confine_files(const std::string& readable) {
  tide::confine_files(readable, scratch_folder());
}

void tide_use_scratch(const std::string& path) { use_scratch_folder(path); }

const std::string& tide_scratch() { return scratch_folder(); }

void tide_remove_scratch() noexcept { remove_scratch_folder(); }

std::optional<std::string> tide_permitted_path(const char* path, TideFileUse use) noexcept try {
  return tide::permitted_path(path, static_cast<tide::FileUse>(use));
} catch (const std::exception&) {
  return std::nullopt;
}

std::string tide_kernel_cache_folder() {
  return tide::platform(tide::DeviceKind::cpu).kernel_cache_folder();
}

std::string tide_plugin_folder() {
  return std::filesystem::path(tide::plugin_path("tide-llvm.so")).parent_path().string();
}

void* tide_plugin_entry(const char* file_name, const char* entry) {
  return tide::plugin_entry(file_name, entry);
}

void tide_limit_memory(std::size_t bytes) { tide::limit_memory(bytes); }

std::string tide_memory_limit_text() { return tide::memory_limit_text(); }

bool tide_take_memory(std::size_t bytes) noexcept try {
  if (tide::take_memory(bytes)) return true;
  tide::engine::empty_host_caches();
  return tide::take_memory(bytes);
} catch (const std::exception&) {
  return false;
}

void tide_count_memory(std::size_t bytes) noexcept { tide::count_memory(bytes); }

void tide_return_memory(std::size_t bytes) noexcept { tide::return_memory(bytes); }

std::int64_t tide_pending_operations(lua_State*) { return tide::engine::pending_ops(); }

void tide_flush(lua_State*) {
  try {
    tide::engine::flush();
  } catch (const std::exception&) {
    // Ops that could not be flushed are marked as failed, which is reported when they are read, or
    // at the end.
  }
}

bool tide_has_opened() { return tide::bindings::take_opening(); }

bool tide_hold_interrupt() { return tide::bindings::hold_back_interrupt(); }

void tide_forget_held_interrupts() { tide::bindings::forget_held_interrupts(); }

const char* tide_present_wait() { return tide::engine::present_wait(); }

void tide_request_interrupt() { tide::engine::request_interrupt(); }

std::string tide_interrupt(lua_State*) {
  constexpr double kMoment = 0.1;  // seconds
  const auto found = tide::engine::interrupt(kMoment);
  std::string text;
  if (found.dropped > 0)
    text = std::to_string(found.dropped) +
           (found.dropped == 1 ? " queued op was dropped" : " queued ops were dropped");
  for (const tide::Device device : found.busy)
    text += (text.empty() ? "" : "; ") + device.name() + " is still finishing its current op";
  return text;
}

bool tide_report_unread_errors(std::FILE* out) { return tide::engine::report_unread_failures(out); }

bool tide_finish_profile(lua_State* L) {
  if (!std::exchange(tide::bindings::profiles, false)) return true;
  lua_pushcfunction(L, finish_profile);
  const bool written = lua_pcall(L, 0, 0, 0) == LUA_OK;
  if (!written) {
    std::fprintf(stderr, "tide: %s\n", luaL_tolstring(L, -1, nullptr));
    lua_pop(L, 2);
  }
  return written;
}

void tide_report_syncs(std::FILE* out) {
  if (!report_syncs) return;
  auto waits = tide::engine::wait_report();
  std::stable_sort(waits.begin(), waits.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  for (const auto& wait : waits) {
    std::string what;
    if (*wait.longest.op) what = std::string(", for ") + wait.longest.op;
    if (*wait.longest.op && wait.longest.site.known() && wait.longest.site != wait.site)
      what += " (" + wait.longest.site.text() + ")";
    std::fprintf(out, "%s: %s: waited %lld times, %.3f ms%s\n    %s\n", wait.site.text().c_str(),
                 wait.reason.c_str(), static_cast<long long>(wait.count), 1e3 * wait.seconds,
                 what.c_str(), tide::engine::advice_on_wait(wait.reason).c_str());
  }
}
