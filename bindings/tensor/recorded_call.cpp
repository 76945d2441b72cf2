// Objects for recordings of calls and for recorded calls.
#include "bindings/tensor/recorded_call.h"

#include <optional>
#include <vector>

#include "bindings/objects/tensor_object.h"
#include "bindings/ops/autocast.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/fields.h"
#include "bindings/support/object.h"
#include "runtime/autograd/autograd.h"
#include "runtime/backward/backward.h"
#include "runtime/ops/float32_precision.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/recorded_call.h"

namespace tide::bindings {
namespace {

/// Settings that ops depend on.
struct Settings {
  DType type = default_dtype();
  Float32Precision precision = float32_matmul_precision();

  friend bool operator==(const Settings&, const Settings&) = default;
};

struct RecordingObject {
  std::optional<CallRecording> recording;
};

struct CallObject {
  RecordedCall call;
  Settings settings;
};

}  // namespace

template <>
inline constexpr ClassInfo kClass<RecordingObject>{"tide.CallRecording", "recording"};
template <>
inline constexpr ClassInfo kClass<CallObject>{"tide.RecordedCall", "recorded call"};

namespace {

/// Whether ops do nothing but compute their results.
bool are_modes_plain() {
  return !GradientMode::enabled() && !autocast_in_force().enabled() && !engine::eager() &&
         !anomaly_detection();
}

int record_call(lua_State* L, const std::vector<Tensor>& inputs) {
  if (!are_modes_plain()) return 0;
  RecordingObject& object = push_object(L, RecordingObject());
  object.recording.emplace(inputs);
  return 1;
}

int finish(lua_State* L, RecordingObject& object, const std::vector<Tensor>& outputs) {
  if (!object.recording) return 0;
  std::optional<RecordedCall> call = object.recording->finish(outputs);
  object.recording.reset();
  if (!call) return 0;
  push_object(L, CallObject{std::move(*call), Settings()});
  return 1;
}

int close_recording(lua_State* L) {
  check<RecordingObject>(L, 1, "close").recording.reset();
  return 0;
}

int run_call(lua_State* L, CallObject& object, const std::vector<Tensor>& inputs) {
  if (!are_modes_plain() || !(object.settings == Settings())) return 0;
  const auto outputs = object.call.run(inputs);
  if (!outputs) return 0;
  push_list(L, *outputs, [L](const Tensor& output) { push_tensor(L, output); });
  return 1;
}

}  // namespace

std::span<const luaL_Reg> recorded_call_functions() {
  static constexpr luaL_Reg functions[] = {kNative<record_call, "record_call", "inputs">};
  return functions;
}

void open_recorded_call_classes(lua_State* L) {
  const luaL_Reg none[] = {{nullptr, nullptr}};
  const luaL_Reg closing[] = {{"__close", guard<close_recording>}, {nullptr, nullptr}};
  const luaL_Reg of_recordings[] = {kNative<finish, "finish", "recording, outputs">,
                                    {nullptr, nullptr}};
  const luaL_Reg of_calls[] = {kNative<run_call, "run", "call, inputs">, {nullptr, nullptr}};
  open_class<RecordingObject>(L, closing, of_recordings);
  open_class<CallObject>(L, none, of_calls);
  lua_pop(L, 2);
}

}  // namespace tide::bindings
