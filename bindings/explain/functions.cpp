// Explained windows as Lua tables.
#include "bindings/explain/functions.h"

#include <memory>
#include <string>
#include <vector>

#include "bindings/objects/device_object.h"
#include "bindings/objects/tensor_object.h"
#include "bindings/profiler/launch_fields.h"
#include "bindings/support/list.h"
#include "bindings/support/object.h"
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

void set(lua_State* L, const char* name, const Shape& shape) {
  lua_createtable(L, shape.rank(), 0);
  for (int d = 0; d < shape.rank(); ++d) {
    lua_pushinteger(L, shape[d]);
    lua_rawseti(L, -2, d + 1);
  }
  lua_setfield(L, -2, name);
}

void set_site(lua_State* L, CallSite site) {
  if (!site.known()) return;
  set(L, "file", std::string(site.file));
  set(L, "line", int64_t{site.line});
}

/// Sets a list of the values that `push` pushes for the elements.
template <class T, class Push>
void set_list(lua_State* L, const char* name, const std::vector<T>& list, const Push& push) {
  lua_createtable(L, static_cast<int>(list.size()), 0);
  for (size_t i = 0; i < list.size(); ++i) {
    push(L, list[i]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_setfield(L, -2, name);
}

/// Sets the fields of a value or an op: name, line, shape and type.
template <class T>
void push_described(lua_State* L, const T& described) {
  lua_createtable(L, 0, 8);
  set(L, "name", described.name);
  set_site(L, described.site);
  set(L, "shape", described.shape);
  set(L, "dtype", std::string(name_of(described.type)));
}

void push_value(lua_State* L, const ExplainedValue& value) {
  push_described(L, value);
  set(L, "number", static_cast<int64_t>(value.number));
  set(L, "kept", value.kept);
}

void push_op(lua_State* L, const ExplainedOp& op) {
  push_described(L, op);
  lua_pushboolean(L, op.stored);
  lua_setfield(L, -2, "stored");
}

void push_step(lua_State* L, const ExplainedStep& step) {
  constexpr const char* kKinds[] = {"loop", "compute", "copy"};
  lua_createtable(L, 0, 16);
  set(L, "kind", std::string(kKinds[static_cast<size_t>(step.kind)]));
  set(L, "shape", step.domain);
  lua_pushboolean(L, step.has_row);
  lua_setfield(L, -2, "row");
  lua_pushboolean(L, step.unless_reused);
  lua_setfield(L, -2, "unless_reused");
  set(L, "part", std::string(step.partial ? "blocks" : step.single_block ? "combine" : ""));
  set(L, "batch", step.batch);
  set(L, "bytes", step.work.bytes);
  if (step.counts_flops) {
    lua_pushnumber(L, step.work.flops);
    lua_setfield(L, -2, "flops");
  }
  set_list(L, "ops", step.ops, push_op);
  set_list(L, "reads", step.reads, push_value);
  set_list(L, "writes", step.writes, push_value);
  if (!step.loop) return;
  push_object(L, *step.loop);
  lua_setfield(L, -2, "loop");
}

void push_note(lua_State* L, const FusionNote& note) {
  lua_createtable(L, 0, 6);
  set(L, "step", static_cast<int64_t>(note.step) + 1);
  set(L, "other", static_cast<int64_t>(note.other) + 1);
  set(L, "op", note.op);
  set_site(L, note.site);
  set(L, "reason", note.reason);
}

void push_window(lua_State* L, const ExplainedWindow& window) {
  lua_createtable(L, 0, 8);
  push_device(L, window.device);
  lua_setfield(L, -2, "device");
  set(L, "cause", window.cause);
  set_site(L, window.site);
  set(L, "ops", static_cast<int64_t>(window.ops));
  set_list(L, "steps", window.steps, push_step);
  set_list(L, "notes", window.notes, push_note);
}

int begin_capture(lua_State* L) {
  engine::flush("explain");  // excludes earlier ops
  push_object(L, CaptureObject{std::make_unique<Capture>()});
  return 1;
}

int capture_windows(lua_State* L) {
  auto& capture = check<CaptureObject>(L, 1, "windows").capture;
  engine::flush("explain");
  const std::unique_ptr<Capture> ended = std::move(capture);
  lua_createtable(L, static_cast<int>(ended->windows().size()), 0);
  for (size_t i = 0; i < ended->windows().size(); ++i) {
    push_window(L, ended->windows()[i]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  return 1;
}

int end_capture(lua_State* L) {
  check<CaptureObject>(L, 1, "close").capture.reset();
  return 0;
}

int recorded(lua_State* L) {
  constexpr const char* kStates[] = {"recorded", "recomputable", "stored", "failed"};
  const Tensor& x = check_tensor(L, 1, "explain");
  if (const auto window = explain_recorded(x.device()))
    push_window(L, *window);
  else
    lua_pushnil(L);
  lua_pushstring(L, kStates[static_cast<size_t>(x.body().cell->value->state)]);
  return 2;
}

int push_text(lua_State* L, const std::string& text) {
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

int push_program(lua_State* L) {
  return push_text(L, program_text(check<LoopStep>(L, 1, "program")));
}

int push_ir(lua_State* L) { return push_text(L, llvm_ir(check<LoopStep>(L, 1, "ir"))); }

int push_assembly(lua_State* L) { return push_text(L, assembly(check<LoopStep>(L, 1, "asm"))); }

int push_ptx(lua_State* L) {
  const auto capability = static_cast<int>(luaL_checkinteger(L, 2));
  return push_text(L, ptx(check<LoopStep>(L, 1, "ptx"), capability));
}

int push_launch(lua_State* L) {
  const LoopStep& loop = check<LoopStep>(L, 1, "launch");
  const auto launch = launch_of(loop, check<Device>(L, 2, "launch"));
  if (!launch) return 0;
  lua_createtable(L, 0, 6);
  make_list(L);
  set_launch_fields(L, *launch);
  return 1;
}

}  // namespace

std::span<const luaL_Reg> explain_functions() {
  static constexpr luaL_Reg functions[] = {
      {"capture", guard<begin_capture>}, {"recorded", guard<recorded>},
      {"program", guard<push_program>},  {"ir", guard<push_ir>},
      {"asm", guard<push_assembly>},     {"ptx", guard<push_ptx>},
      {"launch", guard<push_launch>},
  };
  return functions;
}

void open_explain_classes(lua_State* L) {
  const luaL_Reg none[] = {{nullptr, nullptr}};
  const luaL_Reg closing[] = {{"__close", guard<end_capture>}, {nullptr, nullptr}};
  const luaL_Reg methods[] = {{"windows", guard<capture_windows>}, {nullptr, nullptr}};
  open_class<CaptureObject>(L, closing, methods);
  open_class<LoopStep>(L, none, none);
  lua_pop(L, 2);
}

}  // namespace tide::bindings
