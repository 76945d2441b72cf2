// Convolutions as cuDNN graphs of tensors, a convolution descriptor, and one operation.
#include "runtime/cuda/libraries/dnn.h"

#include <array>
#include <span>
#include <utility>

#include "runtime/cuda/libraries/alignment.h"

namespace tide::cuda {
namespace {

using dnn::Kind;
using dnn::Property;
using dnn::Type;

constexpr int kDims = 2;

/// Indices into the key of a plan: everything that the plan depends on.
enum ConvolutionField : size_t {
  kConvolutionOp,
  kConvolutionType,
  kConvolutionTf32,
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
  kConvolutionFields
};
using Key = std::vector<int64_t>;

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

/// Identifiers of the arrays in variant packs.
constexpr int64_t kX = 1, kWeight = 2, kY = 3;

/// An array of (outer, inner, height, width), dense in that order or channels last.
DnnDescriptor tensor(const Key& key, int64_t name, int64_t outer, int64_t inner,
                     ConvolutionField plane, int64_t aligned) {
  const std::array<int64_t, kDims + 2> sizes = {outer, inner, key[plane], key[plane + 1]};
  const Shape shape{sizes[0], sizes[1], sizes[2], sizes[3]};
  const Layout layout = key[kChannelsLast] ? channels_last_layout(shape) : Layout(shape);
  const auto type = static_cast<dnn::DataType>(key[kConvolutionType]);
  DnnDescriptor made(Kind::tensor);
  made.set(Property::tensor_type, Type::data_type, 1, &type);
  made.set(Property::tensor_dimensions, sizes);
  made.set(Property::tensor_strides, std::span(layout.strides.data(), sizes.size()));
  made.set(Property::tensor_id, name);
  made.set(Property::tensor_alignment, aligned);
  made.finalize();
  return made;
}

/// Strides, padding and dilation, and the type of sums.
DnnDescriptor convolution(const Key& key) {
  const dnn::DataType compute =
      key[kConvolutionType] == dnn::kFloat64 ? dnn::kFloat64 : dnn::kFloat32;
  const int mode = dnn::kCrossCorrelation;
  const auto numbers = [&](ConvolutionField field) {
    return std::span(&key[field], size_t{kDims});
  };
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

/// The attribute names of the three operations.
struct Names {
  Kind kind;
  Property x, weight, y, convolution, alpha, beta;
};

Names names_of(ComputeOp op) {
  if (op == ComputeOp::conv2d)
    return {Kind::forward,         Property::forward_x,           Property::forward_w,
            Property::forward_y,   Property::forward_convolution, Property::forward_alpha,
            Property::forward_beta};
  if (op == ComputeOp::conv2d_backward_input)
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

/// A graph of the operation; groups follow from the channels of input and weight.
DnnDescriptor graph_of(const Key& key, dnn::Handle handle) {
  const Names names = names_of(static_cast<ComputeOp>(key[kConvolutionOp]));
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
  const bool wide = key[kConvolutionType] == dnn::kFloat64;
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

/// A convolution or one of its gradients.
class Convolution : public DnnProblem {
 public:
  Convolution(Key key, DType type) : key_(std::move(key)), type_(type) {}
  const Key& key() const override { return key_; }
  DnnDescriptor graph(dnn::Handle handle) const override { return graph_of(key_, handle); }
  bool allows(const DnnNotes& notes) const override;
  Words words() const override {
    return {"cuDNN has no engine for this convolution",
            "cuDNN has no engine with Tensor Cores for this convolution",
            "cuDNN failed on this convolution"};
  }
  std::string text() const override;

 private:
  Key key_;
  DType type_;
};

/// Winograd's transforms lose precision in half types.
bool Convolution::allows(const DnnNotes& notes) const {
  if (key_[kConvolutionType] == dnn::kFloat32)
    return key_[kConvolutionTf32] ||
           !(notes.has(dnn::kTensorCore) || notes.has(dnn::kRoundsInputs));
  return !notes.has(dnn::kRoundsInputs) &&
         (key_[kConvolutionType] == dnn::kFloat64 || !notes.has(dnn::kWinograd));
}

std::string Convolution::text() const {
  const auto sizes = [&](std::initializer_list<size_t> fields) {
    std::string text;
    for (const size_t field : fields)
      text += (text.empty() ? "" : ", ") + std::to_string(key_[field]);
    return "(" + text + ")";
  };
  const auto op = static_cast<ComputeOp>(key_[kConvolutionOp]);
  const char* pass = op == ComputeOp::conv2d                  ? "a convolution"
                     : op == ComputeOp::conv2d_backward_input ? "a convolution's input gradient"
                                                              : "a convolution's weight gradient";
  return std::string(pass) + " of " + std::string(name_of(type_)) + " " +
         sizes({kImages, kChannels, kInput, kInput + 1}) + " with " +
         sizes({kOutputs, kKernel, kKernel + 1});
}

}  // namespace

LibraryOutcome Dnn::convolve(const ConvolutionArguments& g, ComputeOp op, DType type, bool tf32,
                             CudaStream stream) {
  const auto data = data_type(type);
  if (!data || g.bias) return {false, "cuDNN does not support this type, or a bias"};
  const bool onto_input = op == ComputeOp::conv2d_backward_input;
  const bool onto_weight = op == ComputeOp::conv2d_backward_weight;
  // The op's arrays in their roles of the forward convolution.
  const void* x = onto_input ? g.y : onto_weight ? g.weight : g.x;
  const void* weight = onto_weight ? g.y : g.weight;
  const void* y = onto_input || onto_weight ? g.x : g.y;
  Key key(kConvolutionFields);
  key[kConvolutionOp] = static_cast<int64_t>(op), key[kConvolutionType] = *data;
  key[kConvolutionTf32] = tf32 && type == DType::f32;
  key[kImages] = g.n, key[kChannels] = g.c, key[kOutputs] = g.o, key[kGroups] = g.groups;
  key[kChannelsLast] = g.channels_last;
  const auto pair = [&](ConvolutionField field, int64_t height, int64_t width) {
    key[field] = height, key[field + 1] = width;
  };
  pair(kInput, g.h, g.w);
  pair(kOutput, g.oh, g.ow);
  pair(kKernel, g.kh, g.kw);
  pair(kStride, g.stride_h, g.stride_w);
  pair(kPadding, g.pad_h, g.pad_w);
  pair(kDilation, g.dilation_h, g.dilation_w);
  key[kAlignX] = alignment(x), key[kAlignWeight] = alignment(weight), key[kAlignY] = alignment(y);

  const std::array<const void*, 3> addresses = {x, weight, y};
  const std::array<int64_t, 3> names = {kX, kWeight, kY};
  return plans_.run(Convolution(std::move(key), type), tensor_core_refusal(type, tf32, capability_),
                    {names, addresses}, stream);
}

}  // namespace tide::cuda
