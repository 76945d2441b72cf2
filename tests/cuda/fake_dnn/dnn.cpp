// A fake libcudnn: the descriptors of the backend interface for convolutions and attention. It
// rejects what the real library rejects: unknown properties, wrong types and counts, descriptors in
// a wrong state.
//
// All engines but two are traps: if chosen, they fill the result with nan.
// TIDE_FAKE_DNN="version=90100,cuda=13,fail=execute" sets the reported version and CUDA version (12
// by default), and makes create, graph, heuristics, plan or execute fail.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cuda/libraries/dnn_api.h"
#include "tests/cuda/fake/libraries.h"
#include "tests/cuda/fake_dnn/object.h"

namespace {

using namespace tide::cuda;
using namespace tide::cuda::dnn;
using namespace fake;

std::string setting(const std::string& name) {
  const char* text = std::getenv("TIDE_FAKE_DNN");
  std::string rest = text ? text : "";
  while (!rest.empty()) {
    const std::string part = rest.substr(0, rest.find(','));
    rest.erase(0, std::min(part.size() + 1, rest.size()));
    if (part.starts_with(name + "=")) return part.substr(name.size() + 1);
  }
  return "";
}

bool fails(const char* place) { return setting("fail") == place; }

const std::vector<Engine>& engines() {
  static const std::vector<Engine> all = {
      {kHeuristicsA, {kNotDeterministic}, 0, true, true},
      {kHeuristicsA, {kTensorCore, kReducedPrecisionSums}, 0, true, true},
      {kHeuristicsA, {kFft}, 64, true, true},
      {kHeuristicsA, {kTensorCore}, 64, false, true},
      {kHeuristicsA, {kTensorCore}, int64_t{1} << 40, true, true},
      {kHeuristicsA, {kTensorCore}, 4096, true, false},
      {kHeuristicsFallback, {}, 256, true, false},
  };
  return all;
}

/// The only handle, and its stream.
struct Session {
  CudaStream stream = nullptr;
};

std::optional<Format> format_of(int type) {
  switch (type) {
    case kFloat32:
    case kInt32:  // of virtual arrays, with small values
    case kBoolean:
      return Format::f32;
    case kFloat64:
      return Format::f64;
    case kFloat16:
      return Format::f16;
    case kBFloat16:
      return Format::bf16;
    default:
      return std::nullopt;
  }
}

Status finish_tensor(Object& tensor) {
  const auto format = format_of(tensor.get<int>(Property::tensor_type));
  if (!format) return kNotSupported;
  DnnArray array{*format,
                 {},
                 {},
                 tensor.get<int64_t>(Property::tensor_alignment),
                 tensor.get<int64_t>(Property::tensor_id),
                 tensor.has(Property::tensor_virtual),
                 tensor.has(Property::tensor_by_value)};
  const int type = tensor.get<int>(Property::tensor_type);
  if ((type == kInt32 || type == kBoolean) && !array.is_virtual) return kNotSupported;
  for (size_t d = 0; d < 4; ++d) {
    array.sizes[d] = tensor.get<int64_t>(Property::tensor_dimensions, d);
    array.strides[d] = tensor.get<int64_t>(Property::tensor_strides, d);
    if (array.sizes[d] < 1 || array.strides[d] < 1) return kBadParameter;
  }
  const int64_t element = *format == Format::f64 ? 8 : *format == Format::f32 ? 4 : 2;
  if (array.alignment < element || array.alignment % element) return kBadParameter;
  tensor.array = array;
  return 0;
}

Status finish_window(const Object& window) {
  return window.get<int>(Property::convolution_mode) == kCrossCorrelation &&
                 window.get<int64_t>(Property::convolution_dims) == 2
             ? 0
             : kBadParameter;
}

Status finish_operation(Object& operation, Pass pass, Property window, Property x, Property weight,
                        Property y, Property alpha, Property beta) {
  const Object& how = operation.object(window);
  if (how.kind != Kind::convolution) return kWrongKind;
  for (const Property array : {x, weight, y})
    if (operation.object(array).kind != Kind::tensor) return kWrongKind;
  for (const Property part : {window, x, weight, y})
    if (!operation.object(part).finalized) return kNotFinalized;
  DnnConvolution made{pass,
                      *operation.object(x).array,
                      *operation.object(weight).array,
                      *operation.object(y).array,
                      {},
                      {},
                      {}};
  for (size_t d = 0; d < 2; ++d) {
    made.stride[d] = how.get<int64_t>(Property::convolution_strides, d);
    made.padding[d] = how.get<int64_t>(Property::convolution_paddings_before, d);
    made.dilation[d] = how.get<int64_t>(Property::convolution_dilations, d);
    if (how.get<int64_t>(Property::convolution_paddings_after, d) != made.padding[d])
      return kNotSupported;
  }
  if (!made.fits()) return kWrongShape;
  if (made.x.name == made.weight.name || made.x.name == made.y.name ||
      made.weight.name == made.y.name)
    return kBadParameter;
  const bool wide = made.x.format == Format::f64;
  if (how.get<int>(Property::convolution_compute_type) != (wide ? kFloat64 : kFloat32))
    return kNotSupported;
  const auto scale = [&](Property which) {
    return wide ? operation.get<double>(which) : static_cast<double>(operation.get<float>(which));
  };
  for (const Property which : {alpha, beta})
    if (operation.values.at(which).type != (wide ? Type::float64 : Type::float32))
      return kWrongType;
  if (scale(alpha) != 1 || scale(beta) != 0) return kNotSupported;
  operation.convolution = made;
  return 0;
}

Status finish_operation(Object& operation) {
  if (operation.kind == Kind::forward)
    return finish_operation(operation, Pass::forward, Property::forward_convolution,
                            Property::forward_x, Property::forward_w, Property::forward_y,
                            Property::forward_alpha, Property::forward_beta);
  if (operation.kind == Kind::backward_data)
    return finish_operation(operation, Pass::data, Property::backward_data_convolution,
                            Property::backward_data_dx, Property::backward_data_w,
                            Property::backward_data_dy, Property::backward_data_alpha,
                            Property::backward_data_beta);
  return finish_operation(operation, Pass::filter, Property::backward_filter_convolution,
                          Property::backward_filter_x, Property::backward_filter_dw,
                          Property::backward_filter_dy, Property::backward_filter_alpha,
                          Property::backward_filter_beta);
}

/// The properties of each kind of operation.
struct Parts {
  Kind kind, how_kind;
  Property how, x, b, y;
};
constexpr Parts kParts[] = {
    {Kind::map_operation, Kind::map, Property::map_how, Property::map_x, Property::map_b,
     Property::map_y},
    {Kind::matmul_operation, Kind::matmul, Property::matmul_how, Property::matmul_a,
     Property::matmul_b, Property::matmul_c},
    {Kind::reduction_operation, Kind::reduction, Property::reduction_how, Property::reduction_x,
     Property::reduction_x, Property::reduction_y},
    {Kind::reshape_operation, Kind::reshape_operation, Property::reshape_x, Property::reshape_x,
     Property::reshape_x, Property::reshape_y},
};

const Parts* parts_of(Kind kind) {
  for (const Parts& parts : kParts)
    if (parts.kind == kind) return &parts;
  return nullptr;
}

Status finish_part(Object& operation) {
  const Parts& parts = *parts_of(operation.kind);
  DnnOperation made{.kind = operation.kind, .x = {}, .y = {}, .b = {}, .condition = {}};
  Status status = 0;
  const auto array = [&](Property property) {
    const Object& tensor = operation.object(property);
    if (tensor.kind != Kind::tensor) status = kWrongKind;
    if (!tensor.finalized) status = kNotFinalized;
    return tensor.array.value_or(DnnArray{});
  };
  made.x = array(parts.x), made.y = array(parts.y);
  if (parts.b != parts.x && operation.has(parts.b)) made.b = array(parts.b);
  if (operation.has(Property::map_condition)) made.condition = array(Property::map_condition);
  if (status) return status;
  if (parts.how_kind != operation.kind) {
    const Object& how = operation.object(parts.how);
    if (how.kind != parts.how_kind) return kWrongKind;
    if (!how.finalized) return kNotFinalized;
    if (how.kind == Kind::map) made.map = how.get<Map>(Property::map_mode);
    if (how.kind == Kind::reduction)
      made.reduction = how.get<Reduction>(Property::reduction_operator);
    if (how.has(Property::map_axis) != (made.map == Map::index)) return kBadParameter;
    if (how.has(Property::map_axis))
      made.axis = static_cast<size_t>(how.get<int64_t>(Property::map_axis));
  }
  if (made.axis > 3 || !made.fits()) return kWrongShape;
  operation.operations.all = {made};
  return 0;
}

Status finish_graph(Object& graph) {
  const auto count = static_cast<size_t>(graph.count(Property::graph_operations));
  for (size_t i = 0; i < count; ++i) {
    const Object& operation = graph.object(Property::graph_operations, i);
    if (!operation.finalized) return kNotFinalized;
    const auto& parts = operation.operations.all;
    if (parts.empty() && (!operation.convolution || count > 1)) return kWrongKind;
    graph.operations.all.insert(graph.operations.all.end(), parts.begin(), parts.end());
  }
  if (!graph.get<Handle>(Property::graph_handle)) return kBadParameter;
  if (fails("graph")) return kNotSupported;
  // Engines for attention read and write 16 bytes of half types at a time.
  for (const DnnArray& array : graph.operations.stored())
    if ((array.format == Format::f16 || array.format == Format::bf16) && array.alignment < 16)
      return kNotSupported;
  graph.convolution = graph.object(Property::graph_operations).convolution;
  return 0;
}

Status finish_heuristics(Object& heuristics) {
  const Object& graph = heuristics.object(Property::heuristics_graph);
  const int mode = heuristics.get<int>(Property::heuristics_mode);
  if (graph.kind != Kind::graph) return kWrongKind;
  if (!graph.finalized) return kNotFinalized;
  if (mode != kHeuristicsA && mode != kHeuristicsFallback) return kBadParameter;
  if (fails("heuristics")) return kNotSupported;
  heuristics.convolution = graph.convolution;
  heuristics.operations = graph.operations;
  return 0;
}

Status finish_plan(Object& plan) {
  const Object& choice = plan.object(Property::plan_choice);
  if (choice.kind != Kind::engine_choice) return kWrongKind;
  if (!choice.finalized) return kNotFinalized;
  if (!plan.get<Handle>(Property::plan_handle)) return kBadParameter;
  if (!choice.engine->finalizes || fails("plan")) return kNotSupported;
  plan.convolution = choice.convolution;
  plan.operations = choice.operations;
  plan.engine = choice.engine;
  return 0;
}

Status finish(Object& object) {
  switch (object.kind) {
    case Kind::tensor:
      return finish_tensor(object);
    case Kind::convolution:
      return finish_window(object);
    case Kind::forward:
    case Kind::backward_data:
    case Kind::backward_filter:
      return finish_operation(object);
    case Kind::map:
    case Kind::matmul:
    case Kind::reduction:
      return 0;
    case Kind::map_operation:
    case Kind::matmul_operation:
    case Kind::reduction_operation:
    case Kind::reshape_operation:
      return finish_part(object);
    case Kind::graph:
      return finish_graph(object);
    case Kind::heuristics:
      return finish_heuristics(object);
    case Kind::plan:
      return finish_plan(object);
    case Kind::variant_pack:
      return object.count(Property::pack_ids) == object.count(Property::pack_pointers)
                 ? 0
                 : kWrongCount;
    case Kind::engine:
    case Kind::engine_choice:
      return kBadParameter;  // only returned by other calls here
  }
  return kWrongKind;
}

/// Fills the caller's descriptors with the heuristics' suggestions.
Status get_results(const Object& heuristics, int64_t capacity, int64_t* count, Object** choices) {
  const int mode = heuristics.get<int>(Property::heuristics_mode);
  const bool wide = heuristics.convolution && heuristics.convolution->x.format == Format::f64;
  int64_t found = 0;
  for (const Engine& engine : engines()) {
    const bool tensor_cores = std::ranges::count(engine.notes, int{kTensorCore}) > 0;
    if (engine.mode != mode || (wide && tensor_cores)) continue;
    if (found < capacity) {
      Object& choice = *choices[found];
      if (choice.kind != Kind::engine_choice || choice.finalized) return kWrongKind;
      choice.finalized = true;
      choice.engine = &engine;
      choice.convolution = heuristics.convolution;
      choice.operations = heuristics.operations;
    }
    ++found;
  }
  *count = capacity == 0 ? found : std::min(found, capacity);
  return 0;
}

/// One run of a plan, with its memory.
struct Run {
  std::optional<DnnConvolution> convolution;
  DnnOperations operations;
  const Engine* engine;
  std::map<int64_t, const void*> arrays;  ///< by name
  std::map<int64_t, float> numbers;       ///< host scalars at the call
  void* workspace;

  const void* find(const DnnArray& array) const {
    return array.is_by_value ? &numbers.at(array.name) : arrays.at(array.name);
  }
};

void spoil(const Run& run, const DnnArray& array) {
  write_number(const_cast<void*>(run.find(array)), array.format, 0,
               std::numeric_limits<double>::quiet_NaN());
}

void carry_out(const Run& run) {
  if (run.engine->workspace)
    std::memset(run.workspace, 0xff, static_cast<size_t>(run.engine->workspace));
  if (!run.convolution) {
    run.operations.compute([&](const DnnArray& array) { return run.find(array); });
    for (const DnnOperation& operation : run.operations.all)
      if (run.engine->is_trap && !operation.y.is_virtual) spoil(run, operation.y);
    return;
  }
  const DnnConvolution& c = *run.convolution;
  const bool tf32 =
      c.x.format == Format::f32 && std::ranges::count(run.engine->notes, int{kTensorCore});
  c.compute(run.find(c.x), run.find(c.weight), run.find(c.y), tf32);
  if (run.engine->is_trap)
    spoil(run, c.pass == Pass::forward ? c.y : c.pass == Pass::data ? c.x : c.weight);
}

}  // namespace

TIDE_EXPORT size_t cudnnGetVersion() {
  const std::string version = setting("version");
  return version.empty() ? 90100 : static_cast<size_t>(std::stoul(version));
}

TIDE_EXPORT size_t cudnnGetCudartVersion() {
  const std::string cuda = setting("cuda");
  return (cuda.empty() ? 12 : static_cast<size_t>(std::stoul(cuda))) * 1000;
}

TIDE_EXPORT Status cudnnCreate(Handle* handle) {
  if (fails("create")) return 1001;
  *handle = new Session;
  return 0;
}

TIDE_EXPORT Status cudnnSetStream(Handle handle, CudaStream stream) {
  static_cast<Session*>(handle)->stream = stream;
  return 0;
}

TIDE_EXPORT Status cudnnBackendCreateDescriptor(Kind kind, Descriptor* made) {
  *made = new Object(kind);
  return 0;
}

TIDE_EXPORT Status cudnnBackendDestroyDescriptor(Descriptor descriptor) {
  delete static_cast<Object*>(descriptor);
  return 0;
}

TIDE_EXPORT Status cudnnBackendSetAttribute(Descriptor descriptor, Property property, Type type,
                                            int64_t count, const void* values) {
  auto& object = *static_cast<Object*>(descriptor);
  return object.set(property, type, count, values);
}

TIDE_EXPORT Status cudnnBackendFinalize(Descriptor descriptor) {
  auto& object = *static_cast<Object*>(descriptor);
  if (object.finalized) return kBadParameter;
  if (!object.is_complete()) return kBadParameter;
  const Status status = finish(object);
  object.finalized = status == 0;
  return status;
}

TIDE_EXPORT Status cudnnBackendGetAttribute(Descriptor descriptor, Property property, Type type,
                                            int64_t capacity, int64_t* count, void* values) {
  const auto& object = *static_cast<const Object*>(descriptor);
  if (!object.finalized) return kNotFinalized;
  if (object.kind == Kind::heuristics && property == Property::heuristics_results)
    return type == Type::descriptor
               ? get_results(object, capacity, count, static_cast<Object**>(values))
               : kWrongType;
  if (object.kind == Kind::engine_choice && property == Property::choice_engine) {
    if (type != Type::descriptor || capacity != 1) return kWrongType;
    Object& engine = **static_cast<Object**>(values);
    if (engine.kind != Kind::engine || engine.finalized) return kWrongKind;
    engine.finalized = true;
    engine.engine = object.engine;
    *count = 1;
    return 0;
  }
  if (object.kind == Kind::engine && property == Property::engine_notes) {
    if (type != Type::numerical_note) return kWrongType;
    *count = std::min(capacity, static_cast<int64_t>(object.engine->notes.size()));
    std::copy_n(object.engine->notes.begin(), *count, static_cast<int*>(values));
    return 0;
  }
  if (object.kind == Kind::plan && property == Property::plan_workspace) {
    if (type != Type::int64 || capacity != 1) return kWrongType;
    *static_cast<int64_t*>(values) = object.engine->workspace;
    *count = 1;
    return 0;
  }
  return kNotSupported;
}

TIDE_EXPORT Status cudnnBackendExecute(Handle handle, Descriptor plan, Descriptor pack) {
  const auto &how = *static_cast<const Object*>(plan), &with = *static_cast<const Object*>(pack);
  if (how.kind != Kind::plan || with.kind != Kind::variant_pack) return kWrongKind;
  if (!how.finalized || !with.finalized) return kNotFinalized;
  if (fails("execute")) return kFailed;
  auto run = std::make_unique<Run>(Run{how.convolution,
                                       how.operations,
                                       how.engine,
                                       {},
                                       {},
                                       with.get<void*>(Property::pack_workspace)});
  const auto count = static_cast<size_t>(with.count(Property::pack_ids));
  const auto give = [&](const DnnArray& array) {
    for (size_t i = 0; i < count; ++i) {
      if (with.get<int64_t>(Property::pack_ids, i) != array.name) continue;
      const void* data = with.get<const void*>(Property::pack_pointers, i);
      if (!data || reinterpret_cast<int64_t>(data) % array.alignment) return false;
      if (array.is_by_value)
        run->numbers[array.name] = *static_cast<const float*>(data);
      else
        run->arrays[array.name] = data;
      return true;
    }
    return false;
  };
  bool good = true;
  if (how.convolution)
    for (const DnnArray& array : {how.convolution->x, how.convolution->weight, how.convolution->y})
      good = good && give(array);
  for (const DnnArray& array : how.operations.stored()) good = good && give(array);
  if (!good || (how.engine->workspace && !run->workspace)) return kBadParameter;
  return fake_launch(static_cast<Session*>(handle)->stream,
                     [run = std::shared_ptr<Run>(std::move(run))] { carry_out(*run); });
}
