// Explained windows as Lua tables.
#include "bindings/explain/functions.h"

#include <memory>
#include <string>
#include <vector>

#include "bindings/ops/typed_function.h"
#include "bindings/profiler/launch_fields.h"
#include "bindings/support/fields.h"
#include "bindings/support/list.h"
#include "runtime/explain/capture.h"
#include "runtime/explain/loop_source.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/body.h"

namespace tide::bindings {

/// Null after it has ended.
struct CaptureObject {
  std::unique_ptr<Capture> capture;
};
template <>
inline constexpr ClassInfo kClass<CaptureObject>{"tide.Capture", "capture"};
template <>
inline constexpr ClassInfo kClass<LoopStep>{"tide.Loop", "loop"};

namespace {

void set_shape(lua_State* L, const Shape& shape) {
  push_list(L, shape, [L](int64_t size) { lua_pushinteger(L, size); });
  lua_setfield(L, -2, "shape");
}

void set_site(lua_State* L, CallSite site) {
  if (!site.known()) return;
  set_field(L, "file", site.file);
  set_field(L, "line", site.line);
}

/// Sets a list of the values that `push` pushes for the elements.
template <class T, class Push>
void set_list(lua_State* L, const char* name, const std::vector<T>& list, const Push& push) {
  push_list(L, list, [&](const T& element) { push(L, element); });
  lua_setfield(L, -2, name);
}

/// Sets the fields of a value or an op: name, line, shape and type.
template <class T>
void push_described(lua_State* L, const T& described) {
  lua_createtable(L, 0, 8);
  set_text(L, "name", described.name);
  set_site(L, described.site);
  set_shape(L, described.shape);
  set_field(L, "dtype", name_of(described.type));
}

void push_value(lua_State* L, const ExplainedValue& value) {
  push_described(L, value);
  set_field(L, "number", value.number);
  set_text(L, "kept", value.kept);
}

void push_op(lua_State* L, const ExplainedOp& op) {
  push_described(L, op);
  set_field(L, "stored", op.stored);
}

void push_step(lua_State* L, const ExplainedStep& step) {
  constexpr const char* kKinds[] = {"loop", "compute", "copy"};
  lua_createtable(L, 0, 16);
  set_field(L, "kind", kKinds[static_cast<size_t>(step.kind)]);
  set_shape(L, step.domain);
  set_field(L, "row", step.has_row);
  set_field(L, "unless_reused", step.unless_reused);
  set_text(L, "part", step.partial ? "blocks" : step.single_block ? "combine" : "");
  set_field(L, "batch", step.batch);
  set_field(L, "bytes", step.work.bytes);
  if (step.counts_flops) set_field(L, "flops", step.work.flops);
  set_list(L, "ops", step.ops, push_op);
  set_list(L, "reads", step.reads, push_value);
  set_list(L, "writes", step.writes, push_value);
  if (!step.loop) return;
  push_object(L, *step.loop);
  lua_setfield(L, -2, "loop");
}

void push_note(lua_State* L, const FusionNote& note) {
  lua_createtable(L, 0, 6);
  set_field(L, "step", note.step + 1);
  set_field(L, "other", note.other + 1);
  set_text(L, "op", note.op);
  set_site(L, note.site);
  set_text(L, "reason", note.reason);
}

void push_window(lua_State* L, const ExplainedWindow& window) {
  lua_createtable(L, 0, 8);
  push_device(L, window.device);
  lua_setfield(L, -2, "device");
  set_text(L, "cause", window.cause);
  set_site(L, window.site);
  set_field(L, "ops", window.ops);
  set_list(L, "steps", window.steps, push_step);
  set_list(L, "notes", window.notes, push_note);
}

CaptureObject begin_capture() {
  engine::flush("explain");  // excludes earlier ops
  return {std::make_unique<Capture>()};
}

int capture_windows(lua_State* L, CaptureObject& object) {
  engine::flush("explain");
  const std::unique_ptr<Capture> ended = std::move(object.capture);
  push_list(L, ended->windows(), [L](const ExplainedWindow& window) { push_window(L, window); });
  return 1;
}

int end_capture(lua_State* L) {
  check<CaptureObject>(L, 1, "close").capture.reset();
  return 0;
}

int recorded(lua_State* L, const Tensor& x) {
  constexpr const char* kStates[] = {"recorded", "recomputable", "stored", "failed"};
  if (const auto window = explain_recorded(x.device()))
    push_window(L, *window);
  else
    lua_pushnil(L);
  lua_pushstring(L, kStates[static_cast<size_t>(x.body().cell->value->state)]);
  return 2;
}

int push_launch(lua_State* L, const LoopStep& loop, Device device) {
  const auto launch = launch_of(loop, device);
  if (!launch) return 0;
  lua_createtable(L, 0, 6);
  make_list(L);
  set_launch_fields(L, *launch);
  return 1;
}

}  // namespace

std::span<const luaL_Reg> explain_functions() {
  static constexpr luaL_Reg functions[] = {
      kNative<begin_capture, "capture", "">,
      kNative<recorded, "recorded", "x">,
      kNative<program_text, "program", "loop">,
      kNative<llvm_ir, "ir", "loop">,
      kNative<assembly, "asm", "loop">,
      kNative<ptx, "ptx", "loop, capability">,
      kNative<push_launch, "launch", "loop, device">,
  };
  return functions;
}

void open_explain_classes(lua_State* L) {
  const luaL_Reg none[] = {{nullptr, nullptr}};
  const luaL_Reg closing[] = {{"__close", guard<end_capture>}, {nullptr, nullptr}};
  const luaL_Reg methods[] = {kNative<capture_windows, "windows", "capture">, {nullptr, nullptr}};
  open_class<CaptureObject>(L, closing, methods);
  open_class<LoopStep>(L, none, none);
  lua_pop(L, 2);
}

}  // namespace tide::bindings
