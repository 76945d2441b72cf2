// Keeps the modes of each coroutine and applies them when it calls a function.
#include "bindings/modes/modes.h"

#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "bindings/objects/device_object.h"
#include "bindings/ops/typed_function.h"
#include "runtime/autograd/autograd.h"
#include "runtime/backward/backward.h"
#include "runtime/device/registry.h"
#include "runtime/ops/float32_precision.h"
#include "runtime/record/engine.h"

namespace tide::bindings {
namespace {

/// Registry key of the table of modes by coroutine, for coroutines that set any.
const char kModesTable = 0;

/// Registry key of the list of open scopes, if watch_scopes was called.
const char kOpenScopes = 0;

/// Adds the scope on top of the stack to the list of open scopes, if it exists.
void note_open(lua_State* L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kOpenScopes) == LUA_TTABLE) {
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, static_cast<lua_Integer>(lua_rawlen(L, -2)) + 1);
  }
  lua_pop(L, 1);
}

/// Removes the scope at index 1 from the list.
void note_closed(lua_State* L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kOpenScopes) == LUA_TTABLE) {
    const auto length = static_cast<lua_Integer>(lua_rawlen(L, -1));
    lua_Integer place = length;
    for (bool found = false; place > 0 && !found; place -= !found) {
      lua_rawgeti(L, -1, place);
      found = lua_rawequal(L, -1, 1);
      lua_pop(L, 1);
    }
    for (; place > 0 && place <= length; ++place) {
      lua_rawgeti(L, -1, place + 1);
      lua_rawseti(L, -2, place);
    }
  }
  lua_pop(L, 1);
}

/// The default modes.
Modes base_modes() {
  static const bool eager = engine::eager();  // TIDE_EAGER
  Modes modes;
  modes.eager = eager;
  return modes;
}

/// The modes of L, or null. Does not change the stack.
Modes* find_modes(lua_State* L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kModesTable);
  lua_pushthread(L);
  lua_rawget(L, -2);
  auto* modes = static_cast<Modes*>(lua_touserdata(L, -1));
  lua_pop(L, 2);
  return modes;
}

/// The modes of L, created if necessary.
Modes& own_modes(lua_State* L) {
  if (Modes* modes = find_modes(L)) return *modes;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kModesTable);
  lua_pushthread(L);
  static_assert(std::is_trivially_destructible_v<Modes>, "the collector only frees it");
  auto* modes = new (lua_newuserdatauv(L, sizeof(Modes), 0)) Modes(base_modes());
  lua_rawset(L, -3);
  lua_pop(L, 1);
  return *modes;
}

void put_in_force(const Modes& modes) {
  GradientMode::set(modes.gradients);
  engine::set_eager(modes.eager);
  set_anomaly_detection(modes.anomalies);
  engine::make_waits_errors(modes.no_sync);
  autocast_in_force() = modes.autocast;
  engine::choose_streams(modes.streams);
}

/// Applies changed modes of L.
void renew(lua_State* L, const Modes& modes) {
  put_in_force(modes);
  thread_context.settled = lua_pushthread(L) ? L : nullptr;  // as in settle_modes
  lua_pop(L, 1);
}

/// Sets a mode of L and returns the previous value.
template <class T>
T set_mode(lua_State* L, T Modes::*mode, const T& value) {
  Modes& modes = own_modes(L);
  const T previous = modes.*mode;
  modes.*mode = value;
  renew(L, modes);
  return previous;
}

int close_scope(lua_State* L, Scope& scope) {
  if (!scope.open) return 0;
  if (scope.owner != L) throw Error("close: this scope was opened by another coroutine");
  scope.open = false;
  note_closed(L);
  if (scope.mode)
    set_mode(L, scope.mode, scope.previous);
  else if (scope.of_streams)
    set_mode(L, &Modes::streams, scope.previous_streams);
  else
    set_mode(L, &Modes::autocast, scope.previous_autocast);
  return 0;
}

/// __close: Lua passes an error, too.
int scope_end(lua_State* L) { return close_scope(L, check<Scope>(L, 1, "close")); }

std::string scope_text(const Scope& scope) {
  return std::string("Scope(") + scope.name + (scope.open ? ", open)" : ", closed)");
}

/// Called after the function of a scope: its results are above the scope.
int finish_scope(lua_State* L, int, lua_KContext scope) {
  return lua_gettop(L) - static_cast<int>(scope);
}

/// Opens a scope in which `mode` has this value. Calls the function, if there is one, with its
/// arguments in the scope; else returns the scope. Errors and yields of the function pass through,
/// as the scope is a to-be-closed value.
template <class T>
int open_scope(lua_State* L, Scope scope, T Modes::*mode, T Scope::*previous, const T& value,
               std::optional<Callable> fn, Values arguments) {
  scope.owner = L;
  Scope& opened = push_object(L, scope);
  opened.*previous = set_mode(L, mode, value);
  opened.open = true;
  if (!fn) {
    note_opening();
    note_open(L);
    return 1;
  }
  const int top = lua_gettop(L);
  lua_toclose(L, top);
  luaL_checkstack(L, arguments.count + 2, scope.name);
  lua_pushvalue(L, fn->index);
  for (int i = 0; i < arguments.count; ++i) lua_pushvalue(L, arguments.first + i);
  lua_callk(L, arguments.count, LUA_MULTRET, top, finish_scope);
  return finish_scope(L, LUA_OK, top);
}

/// A function that opens a scope in which `mode` has the value.
template <Text kName, bool Modes::*mode, bool kValue>
int in_mode(lua_State* L, std::optional<Callable> fn, Values arguments) {
  return open_scope(L, {.name = kName.text, .mode = mode}, mode, &Scope::previous, kValue, fn,
                    arguments);
}

/// The default half type of a kind of device.
DType usual_half(size_t kind) {
  return platform(static_cast<DeviceKind>(kind)).capabilities.autocast_type;
}

int autocast(lua_State* L, std::optional<Device> device, std::optional<DType> type,
             std::optional<bool> enabled, std::optional<Device> device_type,
             [[maybe_unused]] bool cache_enabled, std::optional<Callable> fn, Values arguments) {
  if (type && !is_half(*type))
    throw DTypeError("autocast: expected float16 or bfloat16, got " + std::string(name_of(*type)));
  const std::optional<Device> only = device_type ? device_type : device;
  Autocast setting = autocast_in_force();
  for (size_t kind = 0; kind < setting.types.size(); ++kind)
    if (!only || static_cast<size_t>(only->kind) == kind)
      setting.types[kind] = enabled.value_or(true)
                                ? std::optional<DType>(type.value_or(usual_half(kind)))
                                : std::nullopt;
  return open_scope(L, {.name = "autocast"}, &Modes::autocast, &Scope::previous_autocast, setting,
                    fn, arguments);
}

bool is_autocast_enabled(std::optional<Device> device) {
  const Autocast& setting = autocast_in_force();
  return device ? setting.type_on(*device).has_value() : setting.enabled();
}

std::string_view get_autocast_dtype(Device device) {
  const DType usual = usual_half(static_cast<size_t>(device.kind));
  return name_of(autocast_in_force().type_on(device).value_or(usual));
}

bool is_deterministic() { return true; }

/// `warn_only` changes nothing, as every op is deterministic.
void use_deterministic_algorithms(bool on, [[maybe_unused]] bool warn_only) {
  set_mode(thread_context.running, &Modes::deterministic, on);
}

bool are_deterministic_algorithms_enabled() {
  const Modes* modes = find_modes(thread_context.running);
  return modes && modes->deterministic;
}

void set_precision(const std::string& precision) {
  const auto chosen = float32_precision_from_name(precision);
  if (!chosen)
    throw ArgumentError(
        "set_float32_matmul_precision: argument 1 (precision): expected highest, high or medium, "
        "got " +
        precision);
  set_float32_matmul_precision(*chosen);
}

std::string_view get_precision() { return name_of(float32_matmul_precision()); }

void set_grad_enabled(bool on) { set_mode(thread_context.running, &Modes::gradients, on); }

constexpr Function kModeFunctions[] = {
    typed_function<in_mode<"no_grad", &Modes::gradients, false>, "no_grad", "fn?, ...">(
        "Disables gradients in fn, or until the returned value is closed: local _ <close> = "
        "tide.no_grad()",
        "local x = tide.ones(2):requires_grad_(); tide.no_grad(function() return (x * "
        "2).requires_grad end) --> false"),
    typed_function<in_mode<"enable_grad", &Modes::gradients, true>, "enable_grad", "fn?, ...">(
        "Enables gradients inside no_grad",
        "tide.no_grad(function() return tide.enable_grad(tide.is_grad_enabled) end) --> true"),
    typed_function<in_mode<"eager", &Modes::eager, true>, "eager", "fn?, ...">(
        "Flushes every op separately, for debugging",
        "tide.eager(function() return tide.ones(2) + 1 end) --> {2.0, 2.0}"),
    typed_function<in_mode<"no_sync", &Modes::no_sync, true>, "no_sync", "fn?, ...">(
        "Makes waits for a device raise an error that names the wait and its line, in fn or until "
        "the "
        "returned value is closed: local _ <close> = tide.no_sync()",
        "local ok = pcall(tide.no_sync, function() return (tide.ones(2) + 1):sum():item() end); ok "
        "--> "
        "false"),
    typed_function<in_mode<"no_grad", &Modes::gradients, false>, "inference_mode", "fn?, ...">(
        "Same as no_grad", "tide.inference_mode(tide.is_grad_enabled) --> false"),
    typed_function<autocast, "autocast",
                   "device?, {dtype, enabled, device_type, cache_enabled}?, fn?, ...">(
        "Computes products in a half type, sums and losses in float32, in fn or until the returned "
        "value is closed",
        "tide.autocast({dtype = \"bfloat16\"}, function() return tide.ones(2, "
        "2):matmul(tide.ones(2, "
        "2)).dtype end) --> \"bfloat16\""),
    typed_function<is_autocast_enabled, "is_autocast_enabled", "device?">(
        "Whether autocast is active", "tide.is_autocast_enabled() --> false"),
    typed_function<get_autocast_dtype, "get_autocast_dtype", "device">(
        "The half type of products under autocast on such devices",
        "tide.get_autocast_dtype(\"cpu\") --> \"bfloat16\""),
    typed_function<in_mode<"detect_anomaly", &Modes::anomalies, true>, "detect_anomaly",
                   "fn?, ...">(
        "Raises an error that names the op and line that first produce nan or infinity, in the "
        "forward or backward pass; waits for each op",
        "local ok = pcall(tide.detect_anomaly, function() return tide.zeros(1):log() end); ok --> "
        "false"),
    typed_function<in_mode<"deterministic", &Modes::deterministic, true>, "deterministic",
                   "fn?, ...">(
        "Requests reproducible results; all results are reproducible",
        "tide.deterministic(function() return tide.ones(2):sum() end) --> 2.0"),
    typed_function<is_deterministic, "is_deterministic", "">(
        "Whether results are reproducible: always", "tide.is_deterministic() --> true"),
    typed_function<use_deterministic_algorithms, "use_deterministic_algorithms", "on, warn_only?">(
        "Requests reproducible results, or withdraws the request; all results are reproducible",
        "tide.use_deterministic_algorithms(true); local on = "
        "tide.are_deterministic_algorithms_enabled(); tide.use_deterministic_algorithms(false); on "
        "--> true"),
    typed_function<are_deterministic_algorithms_enabled, "are_deterministic_algorithms_enabled",
                   "">(
        "Whether use_deterministic_algorithms, or the mode deterministic, requested them",
        "tide.are_deterministic_algorithms_enabled() --> false"),
    typed_function<set_precision, "set_float32_matmul_precision", "precision">(
        "\"high\" and \"medium\" let CUDA devices round factors of float32 products and "
        "convolutions "
        "to TF32, which is much faster; \"highest\" does not. For the whole program; the cpu "
        "always "
        "computes in float32",
        "tide.set_float32_matmul_precision(\"high\"); local now = "
        "tide.get_float32_matmul_precision(); "
        "tide.set_float32_matmul_precision(\"highest\"); now --> \"high\""),
    typed_function<get_precision, "get_float32_matmul_precision", "">(
        "The precision of float32 products: highest, high or medium",
        "tide.get_float32_matmul_precision() --> \"highest\""),
    typed_function<set_grad_enabled, "set_grad_enabled", "on">(
        "Switches gradients on or off for this coroutine",
        "tide.set_grad_enabled(false); local on = tide.is_grad_enabled(); "
        "tide.set_grad_enabled(true); on --> false"),
    typed_function<GradientMode::enabled, "is_grad_enabled", "">(
        "Whether results get a grad function", "tide.is_grad_enabled() --> true"),
};

}  // namespace

int watch_scopes(lua_State* L) {
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kOpenScopes);
  return 1;
}

bool set_gradient_mode(lua_State* L, bool on) { return set_mode(L, &Modes::gradients, on); }

void settle_modes(lua_State* L) {
  if (thread_context.reclaiming)
    throw Error("tide cannot be used in a finalizer that runs while memory is reclaimed");
  const Modes* modes = find_modes(L);
  put_in_force(modes ? *modes : base_modes());
  // A new coroutine without modes may reuse the address of a dead one. So the lookup can be skipped
  // only for the main coroutine, or if the modes are the default ones.
  const bool is_main = lua_pushthread(L);
  lua_pop(L, 1);
  thread_context.settled = is_main || !modes ? L : nullptr;
}

namespace {
thread_local bool opening = false;
}

void note_opening() { opening = true; }

bool take_opening() { return std::exchange(opening, false); }

int open_stream_scope(lua_State* L, const StreamObject& stream, std::optional<Callable> fn,
                      Values arguments) {
  engine::StreamChoice streams = engine::stream_choice();
  streams.choose(stream.id);
  engine::flush();  // errors are raised before anything changes
  return open_scope(L, {.name = "stream", .of_streams = true}, &Modes::streams,
                    &Scope::previous_streams, streams, fn, arguments);
}

std::span<const Function> mode_functions() { return kModeFunctions; }

void open_modes(lua_State* L) {
  lua_createtable(L, 0, 4);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kModesTable);

  const luaL_Reg metamethods[] = {{"__close", guard<scope_end>},
                                  {"__tostring", guard<typed<scope_text, "tostring", "scope">>},
                                  {nullptr, nullptr}};
  const luaL_Reg methods[] = {kNative<close_scope, "close", "scope">, {nullptr, nullptr}};
  open_class<Scope>(L, metamethods, methods);
  lua_pop(L, 1);
}

}  // namespace tide::bindings
