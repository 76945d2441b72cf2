// A plan is made of descriptors: tensors, the convolution, the operation on them, a graph of that
// one operation, and the heuristics' choices of engines for it, of which the first that keeps our
// rules is taken.
#include "runtime/cuda/dnn.h"

#include <algorithm>
#include <array>
#include <span>

#include "runtime/cuda/driver.h"

namespace tide::cuda {
namespace {

using dnn::Kind;
using dnn::Property;
using dnn::Type;

/// An engine that needs more than this is passed over.
constexpr int64_t kMostWorkspace = int64_t{256} << 20;
/// What an address is aligned to beyond this is not looked at: it must not decide bits.
constexpr int64_t kMostAlignment = 16;
constexpr int kDims = 2;

/// What a plan depends on, by name; the keys of plans are these numbers.
enum Field : size_t {
  kOp,
  kType,
  kTf32,
  kImages,
  kChannels,
  kInput,
  kOutputs = kInput + kDims,
  kOutput,
  kKernel = kOutput + kDims,
  kStride = kKernel + kDims,
  kPadding = kStride + kDims,
  kDilation = kPadding + kDims,
  kGroups = kDilation + kDims,
  kChannelsLast,
  kAlignX,
  kAlignWeight,
  kAlignY,
  kFields
};
using Key = std::vector<int64_t>;

int64_t alignment(const void* address) {
  const auto value = reinterpret_cast<int64_t>(address);
  return std::min(value & -value, kMostAlignment);
}

std::optional<dnn::DataType> data_type(DType type) {
  switch (type) {
    case DType::f32:
      return dnn::kFloat32;
    case DType::f64:
      return dnn::kFloat64;
    case DType::f16:
      return dnn::kFloat16;
    case DType::bf16:
      return dnn::kBFloat16;
    default:
      return std::nullopt;
  }
}

/// Names of the arrays in variant packs.
constexpr int64_t kX = 1, kWeight = 2, kY = 3;

/// An array of (outer, inner, height, width), dense in that order or channels last.
DnnDescriptor tensor(const Key& key, int64_t name, int64_t outer, int64_t inner, Field plane,
                     int64_t aligned) {
  const std::array<int64_t, kDims + 2> sizes = {outer, inner, key[plane], key[plane + 1]};
  const Shape shape{sizes[0], sizes[1], sizes[2], sizes[3]};
  const Layout layout = key[kChannelsLast] ? channels_last_layout(shape) : Layout(shape);
  const auto type = static_cast<dnn::DataType>(key[kType]);
  DnnDescriptor made(Kind::tensor);
  made.set(Property::tensor_type, Type::data_type, 1, &type);
  made.set(Property::tensor_dimensions, sizes);
  made.set(Property::tensor_strides, std::span(layout.strides.data(), sizes.size()));
  made.set(Property::tensor_id, name);
  made.set(Property::tensor_alignment, aligned);
  made.finalize();
  return made;
}

/// How windows move, and the type that sums are kept in.
DnnDescriptor convolution(const Key& key) {
  const dnn::DataType compute = key[kType] == dnn::kFloat64 ? dnn::kFloat64 : dnn::kFloat32;
  const int mode = dnn::kCrossCorrelation;
  const auto numbers = [&](Field field) { return std::span(&key[field], size_t{kDims}); };
  DnnDescriptor made(Kind::convolution);
  made.set(Property::convolution_compute_type, Type::data_type, 1, &compute);
  made.set(Property::convolution_mode, Type::convolution_mode, 1, &mode);
  made.set(Property::convolution_dims, kDims);
  made.set(Property::convolution_strides, numbers(kStride));
  made.set(Property::convolution_paddings_before, numbers(kPadding));
  made.set(Property::convolution_paddings_after, numbers(kPadding));
  made.set(Property::convolution_dilations, numbers(kDilation));
  made.finalize();
  return made;
}

/// What the three operations call their attributes.
struct Names {
  Kind kind;
  Property x, weight, y, convolution, alpha, beta;
};

Names names_of(NativeOp op) {
  if (op == NativeOp::conv2d)
    return {Kind::forward,         Property::forward_x,           Property::forward_w,
            Property::forward_y,   Property::forward_convolution, Property::forward_alpha,
            Property::forward_beta};
  if (op == NativeOp::conv2d_backward_input)
    return {Kind::backward_data,
            Property::backward_data_dx,
            Property::backward_data_w,
            Property::backward_data_dy,
            Property::backward_data_convolution,
            Property::backward_data_alpha,
            Property::backward_data_beta};
  return {Kind::backward_filter,
          Property::backward_filter_x,
          Property::backward_filter_dw,
          Property::backward_filter_dy,
          Property::backward_filter_convolution,
          Property::backward_filter_alpha,
          Property::backward_filter_beta};
}

/// The operation alone; groups follow from the channels of input and weight.
DnnDescriptor graph_of(const Key& key, dnn::Handle handle) {
  const Names names = names_of(static_cast<NativeOp>(key[kOp]));
  const DnnDescriptor x = tensor(key, kX, key[kImages], key[kChannels], kInput, key[kAlignX]);
  const DnnDescriptor weight = tensor(key, kWeight, key[kOutputs], key[kChannels] / key[kGroups],
                                      kKernel, key[kAlignWeight]);
  const DnnDescriptor y = tensor(key, kY, key[kImages], key[kOutputs], kOutput, key[kAlignY]);
  const DnnDescriptor window = convolution(key);
  DnnDescriptor operation(names.kind);
  operation.set(names.convolution, window);
  operation.set(names.x, x);
  operation.set(names.weight, weight);
  operation.set(names.y, y);
  const float one = 1, none = 0;
  const double wide_one = 1, wide_none = 0;
  const bool wide = key[kType] == dnn::kFloat64;
  const Type scale = wide ? Type::float64 : Type::float32;
  operation.set(names.alpha, scale, 1, wide ? static_cast<const void*>(&wide_one) : &one);
  operation.set(names.beta, scale, 1, wide ? static_cast<const void*>(&wide_none) : &none);
  operation.finalize();
  DnnDescriptor graph(Kind::graph);
  graph.set(Property::graph_handle, Type::handle, 1, &handle);
  graph.set(Property::graph_operations, operation);
  graph.finalize();
  return graph;
}

/// What an engine does to numbers.
struct Notes {
  std::array<bool, dnn::kNotes> has{};

  explicit Notes(const DnnDescriptor& choice) {
    DnnDescriptor engine(Kind::engine);
    dnn::Descriptor raw = engine.raw();
    choice.get(Property::choice_engine, Type::descriptor, 1, &raw);  // fills the one given
    std::array<int, dnn::kNotes> notes{};
    const int64_t count =
        engine.get(Property::engine_notes, Type::numerical_note, notes.size(), notes.data());
    for (size_t i = 0; i < notes.size() && static_cast<int64_t>(i) < count; ++i)
      if (notes[i] >= 0 && notes[i] < dnn::kNotes) has[static_cast<size_t>(notes[i])] = true;
  }

  /// Whether an engine of these notes keeps the rules for a plan. Fourier transforms spread a nan
  /// over whole images and lose digits; so do Winograd's points in half types.
  bool allowed(const Key& key) const {
    if (has[dnn::kNotDeterministic] || has[dnn::kReducedPrecisionSums] || has[dnn::kFft])
      return false;
    if (key[kType] == dnn::kFloat32)
      return key[kTf32] || !(has[dnn::kTensorCore] || has[dnn::kRoundsInputs]);
    return !has[dnn::kRoundsInputs] && (key[kType] == dnn::kFloat64 || !has[dnn::kWinograd]);
  }
};

/// What the heuristics suggest for the graph, best first.
std::vector<DnnDescriptor> suggestions(const DnnDescriptor& graph, int mode) {
  DnnDescriptor heuristics(Kind::heuristics);
  heuristics.set(Property::heuristics_graph, graph);
  heuristics.set(Property::heuristics_mode, Type::heuristics_mode, 1, &mode);
  heuristics.finalize();
  const int64_t count = heuristics.get(Property::heuristics_results, Type::descriptor, 0, nullptr);
  std::vector<DnnDescriptor> choices;
  std::vector<dnn::Descriptor> raw;
  for (int64_t i = 0; i < count; ++i)
    raw.push_back(choices.emplace_back(Kind::engine_choice).raw());
  if (count == 0) return choices;
  const int64_t given =
      heuristics.get(Property::heuristics_results, Type::descriptor, count, raw.data());
  choices.resize(static_cast<size_t>(std::min(given, count)));
  return choices;
}

std::string text_of(const Key& key, DType type) {
  const auto sizes = [&](std::initializer_list<size_t> fields) {
    std::string text;
    for (const size_t field : fields)
      text += (text.empty() ? "" : ", ") + std::to_string(key[field]);
    return "(" + text + ")";
  };
  const auto op = static_cast<NativeOp>(key[kOp]);
  const char* pass = op == NativeOp::conv2d                  ? "a convolution"
                     : op == NativeOp::conv2d_backward_input ? "a convolution's input gradient"
                                                             : "a convolution's weight gradient";
  return std::string(pass) + " of " + std::string(name_of(type)) + " " +
         sizes({kImages, kChannels, kInput, kInput + 1}) + " with " +
         sizes({kOutputs, kKernel, kKernel + 1});
}

}  // namespace

bool Dnn::open() {
  if (tried_) return handle_ != nullptr;
  tried_ = true;
  if (!dnn_table()) return false;
  const dnn::Status status = dnn_table()->create(&handle_);
  if (status == 0) return true;
  handle_ = nullptr;
  if (logging())
    log("convolutions do without cuDNN: cudnnCreate failed with status " + std::to_string(status));
  return false;
}

/// The first suggestion that keeps the rules and becomes a plan.
std::optional<Dnn::Plan> Dnn::choose(const DnnDescriptor& graph, int mode, const Key& key) {
  for (DnnDescriptor& choice : suggestions(graph, mode)) {
    const Notes notes(choice);
    if (!notes.allowed(key)) continue;
    try {
      Plan made;
      made.plan = DnnDescriptor(Kind::plan);
      made.plan.set(Property::plan_handle, Type::handle, 1, &handle_);
      made.plan.set(Property::plan_choice, choice);
      made.plan.finalize();
      made.plan.get(Property::plan_workspace, Type::int64, 1, &made.workspace_bytes);
      if (made.workspace_bytes > kMostWorkspace) continue;
      made.choice = std::move(choice);
      made.possible = true;
      if (!notes.has[dnn::kTensorCore])
        made.obstacle = "cuDNN has no engine with Tensor Cores for this convolution";
      return made;
    } catch (const DnnRefusal&) {
      // Suggestions need not work on the device that is there: the next one.
    }
  }
  return std::nullopt;
}

Dnn::Plan Dnn::make_plan(const Key& key) {
  Plan refused;
  refused.obstacle = "cuDNN has no engine for this convolution";
  try {
    const DnnDescriptor graph = graph_of(key, handle_);
    for (const int mode : {dnn::kHeuristicsA, dnn::kHeuristicsFallback})
      if (auto plan = choose(graph, mode, key)) return std::move(*plan);
  } catch (const DnnRefusal& refusal) {
    if (logging())
      log(std::string(refusal.call) + " failed with status " + std::to_string(refusal.status));
  }
  return refused;
}

LibraryOutcome Dnn::convolve(const ConvolutionArguments& g, NativeOp op, DType type, bool tf32,
                             Stream stream) {
  const auto data = data_type(type);
  if (!data || g.bias) return {false, "cuDNN does not take this type, or a bias"};
  if (!open()) return {false, "there is no cuDNN 9"};
  const bool onto_input = op == NativeOp::conv2d_backward_input;
  const bool onto_weight = op == NativeOp::conv2d_backward_weight;
  // The op's arrays in the places of the forward convolution.
  const void* x = onto_input ? g.y : onto_weight ? g.weight : g.x;
  const void* weight = onto_weight ? g.y : g.weight;
  const void* y = onto_input || onto_weight ? g.x : g.y;
  Key key(kFields);
  key[kOp] = static_cast<int64_t>(op), key[kType] = *data;
  key[kTf32] = tf32 && type == DType::f32;
  key[kImages] = g.n, key[kChannels] = g.c, key[kOutputs] = g.o, key[kGroups] = g.groups;
  key[kChannelsLast] = g.channels_last;
  const auto pair = [&](Field field, int64_t height, int64_t width) {
    key[field] = height, key[field + 1] = width;
  };
  pair(kInput, g.h, g.w);
  pair(kOutput, g.oh, g.ow);
  pair(kKernel, g.kh, g.kw);
  pair(kStride, g.stride_h, g.stride_w);
  pair(kPadding, g.pad_h, g.pad_w);
  pair(kDilation, g.dilation_h, g.dilation_w);
  key[kAlignX] = alignment(x), key[kAlignWeight] = alignment(weight), key[kAlignY] = alignment(y);

  auto found = plans_.find(key);
  if (found == plans_.end()) {
    found = plans_.emplace(key, make_plan(key)).first;
    Plan& made = found->second;
    if (const char* by_type = tensor_core_obstacle(type, tf32, capability_);
        by_type && made.possible)
      made.obstacle = by_type;
    if (logging() && made.obstacle)
      log(text_of(key, type) + (made.possible ? " uses no Tensor Cores: " : " is tide's own: ") +
          made.obstacle);
  }
  Plan& plan = found->second;
  if (!plan.possible) return {false, plan.obstacle};
  void* scratch = nullptr;
  if (plan.workspace_bytes > 0) {
    scratch = workspace_.get(stream, static_cast<size_t>(plan.workspace_bytes));
    if (!scratch) return {false, "there is no memory for cuDNN's workspace"};
  }
  try {
    demand(dnn_table()->set_stream(handle_, stream), "cudnnSetStream");
    const std::array<const void*, 3> pointers = {x, weight, y};
    const std::array<int64_t, 3> names = {kX, kWeight, kY};
    DnnDescriptor pack(Kind::variant_pack);
    pack.set(Property::pack_pointers, Type::pointer, pointers.size(), pointers.data());
    pack.set(Property::pack_ids, names);
    pack.set(Property::pack_workspace, Type::pointer, 1, &scratch);
    pack.finalize();
    demand(dnn_table()->execute(handle_, plan.plan.raw(), pack.raw()), "cudnnBackendExecute");
    return {true, plan.obstacle};
  } catch (const DnnRefusal& refusal) {
    plan.possible = false;
    plan.obstacle = "cuDNN failed at this convolution";
    if (logging())
      log(text_of(key, type) + " is tide's own from now on: " + refusal.call +
          " failed with status " + std::to_string(refusal.status));
    return {false, plan.obstacle};
  }
}

}  // namespace tide::cuda
