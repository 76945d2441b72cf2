// Creates and caches oneDNN convolutions.
#include "runtime/cpu/dnnl/convolution.h"

#include <omp.h>

#include <cstring>
#include <tuple>
#include <unordered_map>

#include "runtime/os/address_space.h"

namespace tide {
namespace {

using dnnl::memory;

/// Instances that a thread caches before it clears the cache. A network has some dozens.
constexpr size_t kMaxCached = 512;
constexpr size_t kAlignment = 64;

dnnl::engine& engine() {
  static dnnl::engine instance(dnnl::engine::kind::cpu, 0);
  return instance;
}

dnnl::stream& stream() {
  static thread_local dnnl::stream instance(engine());
  return instance;
}

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

memory::desc describe(const memory::dims& dims, memory::format_tag tag) {
  return memory::desc(dims, memory::data_type::f32, tag);
}

/// Padding after the last element, so that a convolution of `in` elements has `out` results. It
/// may be negative: the last elements are then not used.
int64_t padding_after(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilation,
                      int64_t before) {
  return (out - 1) * stride + (kernel - 1) * dilation + 1 - in - before;
}

/// Sizes of the three arrays in oneDNN's terms.
struct Dims {
  memory::dims input, weight, bias, output, strides, dilations, pads, pads_after;
  bool grouped, channels_last, weight_channels_last;

  explicit Dims(const ConvolutionShape& s)
      : input{s.n, s.c, s.h, s.w},
        weight{s.o, s.c / s.groups, s.kh, s.kw},
        bias{s.o},
        output{s.n, s.o, s.oh, s.ow},
        strides{s.stride_h, s.stride_w},
        dilations{s.dilation_h - 1, s.dilation_w - 1},
        pads{s.pad_h, s.pad_w},
        pads_after{padding_after(s.h, s.oh, s.kh, s.stride_h, s.dilation_h, s.pad_h),
                   padding_after(s.w, s.ow, s.kw, s.stride_w, s.dilation_w, s.pad_w)},
        grouped(s.groups > 1),
        channels_last(s.channels_last),
        weight_channels_last(s.weight_channels_last) {
    if (grouped) weight = {s.groups, s.o / s.groups, s.c / s.groups, s.kh, s.kw};
  }

  memory::format_tag planes_tag() const {
    return channels_last ? memory::format_tag::nhwc : memory::format_tag::nchw;
  }
  memory::desc given_input() const { return describe(input, planes_tag()); }
  memory::desc given_output() const { return describe(output, planes_tag()); }
  memory::desc given_weight() const {
    using Tag = memory::format_tag;
    if (weight_channels_last) return describe(weight, grouped ? Tag::gohwi : Tag::ohwi);
    return describe(weight, grouped ? Tag::goihw : Tag::oihw);
  }
};

/// The description of `Op`, one of the convolution's primitives. `sizes` are its constructor's
/// arguments; a backward pass also takes the description of the forward pass.
template <class Op, class... Sizes, class... Forward>
typename Op::primitive_desc description(const std::tuple<Sizes...>& sizes,
                                        const Forward&... forward) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return std::apply(
      [&](const auto&... size) -> typename Op::primitive_desc {
#if DNNL_VERSION_MAJOR >= 3
        return {engine(), size..., forward..., attributes};
#else
        return {typename Op::desc(size...), attributes, engine(), forward...};
#endif
      },
      sizes);
}

/// Memory that a primitive may need: oneDNN does not check whether it got memory for generated
/// code.
constexpr size_t kHeadroom = 4u << 20;

struct Key {
  ConvolutionShape shape;
  ConvolutionPass pass;
  bool has_bias;

  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  size_t operator()(const Key& key) const {
    int64_t sizes[sizeof key.shape / sizeof(int64_t)];
    std::memcpy(sizes, &key.shape, sizeof key.shape);
    size_t hash = static_cast<size_t>(key.pass) * 4 + key.has_bias * 2;
    for (int64_t size : sizes) hash = (hash ^ static_cast<size_t>(size)) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
  }
};

}  // namespace

Convolution::Convolution(const ConvolutionShape& shape, ConvolutionPass pass, bool has_bias) {
  const Dims dims(shape);
  const auto any = memory::format_tag::any;
  // Channels-last planes are as fast as any others, and need not be reordered.
  const auto planes = dims.channels_last ? dims.planes_tag() : any;
  const auto input = describe(dims.input, planes), weight = describe(dims.weight, any),
             output = describe(dims.output, planes);
  const auto bias = has_bias ? describe(dims.bias, memory::format_tag::a) : memory::desc();
  const auto algorithm = dnnl::algorithm::convolution_auto;
  const auto forward = description<dnnl::convolution_forward>(
      std::tuple(dnnl::prop_kind::forward_training, algorithm, input, weight, bias, output,
                 dims.strides, dims.dilations, dims.pads, dims.pads_after));
  const std::tuple backward(algorithm, input, weight, output, dims.strides, dims.dilations,
                            dims.pads, dims.pads_after);
  if (pass == ConvolutionPass::forward) {
    prepare(forward, dims.given_input(), dims.given_weight(), dims.given_output());
    if (has_bias) {
      bias_ = memory(bias, engine(), nullptr);
      arguments_.push_back({DNNL_ARG_BIAS, bias_.get()});
    }
  } else if (pass == ConvolutionPass::backward_input) {
    prepare(description<dnnl::convolution_backward_data>(backward, forward), dims.given_output(),
            dims.given_weight(), dims.given_input());
  } else {
    prepare(description<dnnl::convolution_backward_weights>(backward, forward), dims.given_output(),
            dims.given_input(), dims.given_weight());
  }
}

template <class Description>
void Convolution::prepare(const Description& description, const memory::desc& first,
                          const memory::desc& second, const memory::desc& result) {
  int first_name, second_name, result_name;
  memory::desc first_preferred, second_preferred, result_preferred;
  if constexpr (std::is_same_v<Description, dnnl::convolution_forward::primitive_desc>) {
    primitive_ = dnnl::convolution_forward(description);
    first_name = DNNL_ARG_SRC, first_preferred = description.src_desc();
    second_name = DNNL_ARG_WEIGHTS, second_preferred = description.weights_desc();
    result_name = DNNL_ARG_DST, result_preferred = description.dst_desc();
  } else if constexpr (std::is_same_v<Description,
                                      dnnl::convolution_backward_data::primitive_desc>) {
    primitive_ = dnnl::convolution_backward_data(description);
    first_name = DNNL_ARG_DIFF_DST, first_preferred = description.diff_dst_desc();
    second_name = DNNL_ARG_WEIGHTS, second_preferred = description.weights_desc();
    result_name = DNNL_ARG_DIFF_SRC, result_preferred = description.diff_src_desc();
  } else {
    primitive_ = dnnl::convolution_backward_weights(description);
    first_name = DNNL_ARG_DIFF_DST, first_preferred = description.diff_dst_desc();
    second_name = DNNL_ARG_SRC, second_preferred = description.src_desc();
    result_name = DNNL_ARG_DIFF_WEIGHTS, result_preferred = description.diff_weights_desc();
  }
  first_ = operand(first, first_preferred, false);
  second_ = operand(second, second_preferred, false);
  result_ = operand(result, result_preferred, true);
  scratchpad_ = memory(description.scratchpad_desc(), engine(), nullptr);
  scratchpad_bytes_ = aligned(description.scratchpad_desc().get_size());
  arguments_ = {{first_name, first_.preferred.get()},
                {second_name, second_.preferred.get()},
                {result_name, result_.preferred.get()},
                {DNNL_ARG_SCRATCHPAD, scratchpad_.get()}};
}

Convolution::Operand Convolution::operand(const memory::desc& given, const memory::desc& preferred,
                                          bool result) {
  Operand operand;
  operand.given = memory(given, engine(), nullptr);
  operand.layout = preferred;
  operand.bytes = aligned(preferred.get_size());
  operand.same = given == preferred;
  if (operand.same) {
    operand.preferred = operand.given;
    return operand;
  }
  operand.preferred = memory(preferred, engine(), nullptr);
  operand.reorder = result ? dnnl::reorder(operand.preferred, operand.given)
                           : dnnl::reorder(operand.given, operand.preferred);
  return operand;
}

void Convolution::run(const float* first, const float* second, const float* bias, float* result) {
  second_.given.set_data_handle(const_cast<float*>(second));
  execute(first, bias, result, {&first_, &second_, &result_});
}

int64_t Convolution::reordered_size() const {
  return second_.same ? 0 : static_cast<int64_t>(second_.bytes / sizeof(float));
}

void Convolution::reorder_weight(const float* second, float* to) {
  second_.given.set_data_handle(const_cast<float*>(second));
  second_.preferred.set_data_handle(to);
  second_.reorder.execute(stream(), second_.given, second_.preferred);
}

const float* Convolution::reordered_weight(const float* second) {
  if (second_.same) return second;
  static thread_local Workspace workspace;
  float* data = workspace.get<float>(static_cast<size_t>(reordered_size()));
  reorder_weight(second, data);
  return data;
}

void Convolution::run_reordered(const float* first, const float* second, const float* bias,
                                float* result) {
  second_.preferred.set_data_handle(const_cast<float*>(second));
  execute(first, bias, result, {&first_, &result_});
}

/// Runs the primitive, reordering those operands in `moved` that need it.
void Convolution::execute(const float* first, const float* bias, float* result,
                          std::initializer_list<Operand*> moved) {
  static thread_local Workspace workspace;
  size_t bytes = scratchpad_bytes_;
  for (const Operand* operand : moved)
    if (!operand->same) bytes += operand->bytes;
  std::byte* free = workspace.get<std::byte>(std::max(bytes, kAlignment));
  const auto take = [&](memory& memory, size_t size) {
    memory.set_data_handle(free);
    free += size;
  };
  take(scratchpad_, scratchpad_bytes_);
  for (Operand* operand : moved)
    if (!operand->same) take(operand->preferred, operand->bytes);
  first_.given.set_data_handle(const_cast<float*>(first));
  result_.given.set_data_handle(result);
  if (bias) bias_.set_data_handle(const_cast<float*>(bias));

  for (Operand* operand : moved)
    if (!operand->same && operand != &result_)
      operand->reorder.execute(stream(), operand->given, operand->preferred);
  dnnl::error::wrap_c_api(
      dnnl_primitive_execute(primitive_.get(), stream().get(), static_cast<int>(arguments_.size()),
                             arguments_.data()),
      "could not execute a primitive");
  if (!result_.same) result_.reorder.execute(stream(), result_.preferred, result_.given);
}

Convolution& Convolution::cached(const ConvolutionShape& shape, ConvolutionPass pass,
                                 bool has_bias) {
  // oneDNN uses the calling thread's OpenMP setting as the number of threads, both when a primitive
  // is created and when it runs.
  omp_set_num_threads(1);
  static thread_local std::unordered_map<Key, std::unique_ptr<Convolution>, KeyHash> cache;
  const Key key{shape, pass, has_bias};
  if (const auto found = cache.find(key); found != cache.end()) return *found->second;
  if (cache.size() >= kMaxCached) cache.clear();
  require_address_space(kHeadroom);
  return *cache.emplace(key, std::make_unique<Convolution>(shape, pass, has_bias)).first->second;
}

}  // namespace tide
