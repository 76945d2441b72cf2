// 2-d convolutions and their gradients.
#include <algorithm>
#include <atomic>
#include <bit>

#include "runtime/cpu/dnnl/plugin.h"
#include "runtime/cpu/gemm/few_pixels.h"
#include "runtime/cpu/gemm/gemm.h"
#include "runtime/cpu/gemm/patch_gradient.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/planes/plain_planes.h"
#include "runtime/cpu/planes/prepared_weight.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/winograd/winograd.h"
#include "runtime/cpu/workspace.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// The sizes (n, c, h, w) of an array that may be channels last.
Shape planes_of(const ArrayView& array, bool channels_last) {
  return channels_last ? as_planes(array.layout).shape : array.layout.shape;
}

/// From the sizes of planes and of a weight (o, c / groups, kh, kw).
template <class Sizes>
ConvolutionShape shape_of(const Sizes& input, const Sizes& weight, const Sizes& output,
                          const ConvolutionAttributes& a) {
  return {input[0],     input[1],        input[2],
          input[3],     weight[0],       output[2],
          output[3],    weight[2],       weight[3],
          a.stride[0],  a.stride[1],     a.padding[0],
          a.padding[1], a.dilation[0],   a.dilation[1],
          a.groups,     a.channels_last, a.weight_channels_last};
}

ConvolutionShape convolution_shape(const ComputeCall& call, const ArrayView& input,
                                   const ArrayView& weight, const ArrayView& output) {
  const auto a = unpack<ConvolutionAttributes>(call.attributes);
  return shape_of(planes_of(input, a.channels_last), planes_of(weight, a.weight_channels_last),
                  planes_of(output, a.channels_last), a);
}

bool has_bias(const ComputeCall& call) {
  return unpack<ConvolutionAttributes>(call.attributes).has_bias;
}

void check(const char* error) {
  if (error) throw Error(error);
}

/// Whether one of the arrays has no elements; the result is then zero, or the bias.
bool is_empty(const ConvolutionShape& s) {
  return s.n == 0 || s.input_size() == 0 || s.output_size() == 0 || s.weight_size() == 0;
}

/// Visits the patches of one group of one image as the rows of a matrix (c / groups * kh * kw, oh *
/// ow): calls visit(row, column, offset) for each element, with offset -1 in the padding.
template <class Visit>
void for_patches(const ConvolutionShape& s, const Visit& visit) {
  int64_t row = 0;
  for (int64_t channel = 0; channel < s.c / s.groups; ++channel)
    for (int64_t tap_y = 0; tap_y < s.kh; ++tap_y)
      for (int64_t tap_x = 0; tap_x < s.kw; ++tap_x, ++row)
        for (int64_t i = 0; i < s.oh; ++i)
          for (int64_t j = 0; j < s.ow; ++j) {
            const int64_t y = i * s.stride_h - s.pad_h + tap_y * s.dilation_h;
            const int64_t x = j * s.stride_w - s.pad_w + tap_x * s.dilation_w;
            const bool inside = y >= 0 && y < s.h && x >= 0 && x < s.w;
            visit(row, i * s.ow + j, inside ? (channel * s.h + y) * s.w + x : -1);
          }
}

/// Convolutions as matrix products of patches, for one group of one image at a time. Zeros of the
/// padding are multiplied, too, so an infinite or nan weight makes them nan.
template <class T>
class PatchConvolution {
 public:
  PatchConvolution(const ConvolutionShape& shape, Parallel& parallel)
      : s_(shape), parallel_(parallel) {
    patches_ = workspace().get<T>(rows() * columns());
  }

  void forward(const T* input, const T* weight, const T* bias, T* output) {
    for_groups([&](int64_t image, int64_t group) {
      gather_patches(input + input_offset(image, group));
      T* y = output + output_offset(image, group);
      gemm<T, T>(channels(), columns(), rows(), {weight + group * channels() * rows(), rows(), 1},
                 {patches_, columns(), 1}, nullptr, 0, y, parallel_);
      for (int64_t o = 0; bias && o < channels(); ++o)
        for (int64_t i = 0; i < columns(); ++i)
          y[o * columns() + i] += bias[group * channels() + o];
    });
  }

  void backward_input(const T* dy, const T* weight, T* dx) {
    std::fill_n(dx, s_.n * s_.input_size(), T());
    for_groups([&](int64_t image, int64_t group) {
      gemm<T, T>(rows(), columns(), channels(), {weight + group * channels() * rows(), 1, rows()},
                 {dy + output_offset(image, group), columns(), 1}, nullptr, 0, patches_, parallel_);
      T* target = dx + input_offset(image, group);
      for_patches(s_, [&](int64_t row, int64_t column, int64_t offset) {
        if (offset >= 0) target[offset] += patches_[row * columns() + column];
      });
    });
  }

  void backward_weight(const T* dy, const T* input, T* dw) {
    static thread_local Workspace parts;
    const int64_t size = channels() * rows();
    T* part = parts.get<T>(size);
    std::fill_n(dw, s_.weight_size(), T());
    for_groups([&](int64_t image, int64_t group) {
      gather_patches(input + input_offset(image, group));
      gemm<T, T>(channels(), rows(), columns(), {dy + output_offset(image, group), columns(), 1},
                 {patches_, 1, columns()}, nullptr, 0, part, parallel_);
      for (int64_t i = 0; i < size; ++i) dw[group * size + i] += part[i];
    });
  }

 private:
  static Workspace& workspace() {
    static thread_local Workspace instance;
    return instance;
  }

  int64_t rows() const { return s_.c / s_.groups * s_.kh * s_.kw; }
  int64_t columns() const { return s_.oh * s_.ow; }
  int64_t channels() const { return s_.o / s_.groups; }
  int64_t input_offset(int64_t image, int64_t group) const {
    return image * s_.input_size() + group * (s_.c / s_.groups) * s_.h * s_.w;
  }
  int64_t output_offset(int64_t image, int64_t group) const {
    return image * s_.output_size() + group * channels() * columns();
  }

  template <class Body>
  void for_groups(const Body& body) {
    for (int64_t image = 0; image < s_.n; ++image)
      for (int64_t group = 0; group < s_.groups; ++group) body(image, group);
  }

  void gather_patches(const T* input) {
    for_patches(s_, [&](int64_t row, int64_t column, int64_t offset) {
      patches_[row * columns() + column] = offset >= 0 ? input[offset] : T();
    });
  }

  const ConvolutionShape& s_;
  Parallel& parallel_;
  T* patches_;
};

/// The elements of an array as floats: the array itself, or a copy in `workspace`.
template <class T>
const float* widened(const ArrayView& array, Workspace& workspace, Parallel& parallel) {
  if constexpr (std::is_same_v<T, float>) return static_cast<const float*>(array.data);
  const int64_t count = array.layout.shape.numel();
  const auto* from = static_cast<const T*>(array.data);
  float* to = workspace.get<float>(count);
  parallel.for_range(count, 32768, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<float>(from[i]);
  });
  return to;
}

/// Whether no value is infinite or nan. If a weight is, the fast algorithms cannot be used: they
/// skip the padding, or mix the weights of a filter.
bool all_finite(const float* values, int64_t count, Parallel& parallel) {
  constexpr uint32_t kExponent = 0x7f800000;
  std::atomic<bool> finite = true;
  parallel.for_range(count, 65536, [&](int64_t begin, int64_t end) {
    bool found = false;
    for (int64_t i = begin; i < end; ++i)
      found |= (std::bit_cast<uint32_t>(values[i]) & kExponent) == kExponent;
    if (found) finite = false;
  });
  return finite;
}

/// Calls compute(first, second, bias, result) on floats, and rounds the result once if T is a half.
template <class T, class Compute>
void compute_in_float(ComputeCall& call, const Compute& compute) {
  static thread_local Workspace workspace[4];
  Parallel& parallel = *call.parallel;
  const float* first = widened<T>(call.inputs[0], workspace[0], parallel);
  const float* second = widened<T>(call.inputs[1], workspace[1], parallel);
  const float* bias = has_bias(call) ? widened<T>(call.inputs[2], workspace[2], parallel) : nullptr;
  const int64_t count = call.outputs[0].layout.shape.numel();
  if constexpr (std::is_same_v<T, float>) {
    compute(first, second, bias, static_cast<float*>(call.outputs[0].data));
  } else {
    float* wide = workspace[3].get<float>(count);
    compute(first, second, bias, wide);
    auto* to = static_cast<T*>(call.outputs[0].data);
    parallel.for_range(count, 32768, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = static_cast<T>(wide[i]);
    });
  }
}

/// Runs one of two implementations: `patches` (on PatchConvolution) for f64, else `library` in
/// float.
template <class Patches, class Library>
void convolve(ComputeCall& call, const ConvolutionShape& shape, const Patches& patches,
              const Library& library) {
  switch (call.outputs[0].type) {
    case DType::f64: {
      const auto data = [&](int i) { return static_cast<const double*>(call.inputs[i].data); };
      PatchConvolution<double> convolution(shape, *call.parallel);
      return patches(convolution, data(0), data(1), has_bias(call) ? data(2) : nullptr,
                     static_cast<double*>(call.outputs[0].data));
    }
    case DType::f32:
      return compute_in_float<float>(call, library);
    case DType::f16:
      return compute_in_float<Float16>(call, library);
    case DType::bf16:
      return compute_in_float<BFloat16>(call, library);
    default:
      throw InternalError("a convolution of integers was queued");
  }
}

/// What a convolution needs of a weight that seldom changes: whether it is finite, then its data.
class PreparedWeight {
 public:
  static constexpr int64_t kHeader = 16;  ///< floats

  explicit PreparedWeight(const ComputeCall& call) {
    const size_t place = has_bias(call) ? 3 : 2;
    if (call.inputs.size() > place) start_ = static_cast<const float*>(call.inputs[place].data);
  }

  bool defined() const { return start_; }
  bool is_finite() const { return *start_ != 0; }
  const float* data() const { return start_ ? start_ + kHeader : nullptr; }

 private:
  const float* start_ = nullptr;
};

/// The result of a convolution without terms: zeros, plus the bias if there is one.
void fill_empty(ComputeCall& call, const ConvolutionShape& s) {
  const ArrayView& result = call.outputs[0];
  visit_type(result.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    auto* to = static_cast<T*>(result.data);
    const auto* bias = has_bias(call) ? static_cast<const T*>(call.inputs[2].data) : nullptr;
    const int64_t apart = s.channels_last ? 1 : s.oh * s.ow;  // elements of two channels
    for (int64_t i = 0; i < result.layout.shape.numel(); ++i)
      to[i] = bias ? bias[i / apart % s.o] : T();
  });
}

}  // namespace

namespace {

/// Runs a call on channels-last arrays on copies of them. `weight` is the number of the weight
/// among the inputs and outputs.
void on_plain_arrays(ComputeCall& call, ComputeFunction function, size_t weight) {
  auto a = unpack<ConvolutionAttributes>(call.attributes);
  constexpr size_t kNone = 8;  // more than there are arrays
  const size_t plain = a.weight_channels_last ? kNone : weight;
  a.channels_last = a.weight_channels_last = false;
  on_plain_planes(call, function, pack(a), plain);
}

bool is_channels_last_double(const ComputeCall& call) {
  return is_channels_last(call) && call.outputs[0].type == DType::f64;
}

}  // namespace

int64_t prepared_weight_size(std::span<const int64_t> attributes) {
  const auto a = unpack<PrepareWeightAttributes>(attributes);
  const ConvolutionShape shape = shape_of(a.input, a.weight, a.output, a.convolution);
  if (few_pixels_suit_forward(shape)) return PreparedWeight::kHeader;
  return PreparedWeight::kHeader +
         (winograd_suits_forward(shape)
              ? winograd_prepared_size(shape)
              : dnnl_plugin().prepared_size(shape, a.convolution.has_bias));
}

void compute_prepare_weight(ComputeCall& call) {
  const auto a = unpack<PrepareWeightAttributes>(call.attributes);
  const ConvolutionShape shape = shape_of(a.input, a.weight, a.output, a.convolution);
  const auto* weight = static_cast<const float*>(call.inputs[0].data);
  auto* to = static_cast<float*>(call.outputs[0].data);
  const bool is_finite = all_finite(weight, shape.weight_size(), *call.parallel);
  std::fill_n(to, PreparedWeight::kHeader, is_finite ? 1.0f : 0.0f);
  float* data = to + PreparedWeight::kHeader;
  if (!is_finite || few_pixels_suit_forward(shape)) return;
  if (winograd_suits_forward(shape)) return winograd_prepare(shape, weight, data, *call.parallel);
  check(dnnl_plugin().prepare(shape, a.convolution.has_bias, weight, data, *call.parallel));
}

void compute_conv2d(ComputeCall& call) {
  if (is_channels_last_double(call)) return on_plain_arrays(call, compute_conv2d, 1);
  const ConvolutionShape shape =
      convolution_shape(call, call.inputs[0], call.inputs[1], call.outputs[0]);
  if (is_empty(shape)) return fill_empty(call, shape);
  bool needs_plain = false;  // patches are those of plain arrays
  convolve(
      call, shape,
      [](PatchConvolution<double>& convolution, const double* input, const double* weight,
         const double* bias, double* output) { convolution.forward(input, weight, bias, output); },
      [&](const float* input, const float* weight, const float* bias, float* output) {
        if (few_pixels_suit_forward(shape))
          return few_pixels_forward(shape, input, weight, bias, output, *call.parallel);
        const PreparedWeight prepared(call);
        if (prepared.defined() ? !prepared.is_finite()
                               : !all_finite(weight, shape.weight_size(), *call.parallel)) {
          needs_plain = shape.channels_last;
          if (needs_plain) return;
          return PatchConvolution<float>(shape, *call.parallel)
              .forward(input, weight, bias, output);
        }
        const float* ready = prepared.data();
        Finishing* const finishing = call.outputs[0].type == DType::f32 ? call.finishing : nullptr;
        if (winograd_suits_forward(shape))
          return winograd_forward(shape, input, weight, ready, bias, output, finishing,
                                  *call.parallel);
        check(dnnl_plugin().forward(shape, input, weight, ready, bias, output, finishing,
                                    *call.parallel));
      });
  if (needs_plain) on_plain_arrays(call, compute_conv2d, 1);
}

void compute_conv2d_backward_input(ComputeCall& call) {
  if (is_channels_last_double(call)) return on_plain_arrays(call, compute_conv2d_backward_input, 1);
  const ConvolutionShape shape =
      convolution_shape(call, call.outputs[0], call.inputs[1], call.inputs[0]);
  if (is_empty(shape)) return fill_empty(call, shape);
  bool needs_plain = false;
  convolve(
      call, shape,
      [](PatchConvolution<double>& convolution, const double* dy, const double* weight,
         const double*, double* dx) { convolution.backward_input(dy, weight, dx); },
      [&](const float* dy, const float* weight, const float*, float* dx) {
        if (few_pixels_suit_backward(shape))
          return few_pixels_backward_input(shape, dy, weight, dx, *call.parallel);
        if (!all_finite(weight, shape.weight_size(), *call.parallel)) {
          needs_plain = shape.channels_last;
          if (needs_plain) return;
          return PatchConvolution<float>(shape, *call.parallel).backward_input(dy, weight, dx);
        }
        if (winograd_suits_backward_input(shape))
          return winograd_backward_input(shape, dy, weight, dx, *call.parallel);
        check(dnnl_plugin().backward_input(shape, dy, weight, dx, *call.parallel));
      });
  if (needs_plain) on_plain_arrays(call, compute_conv2d_backward_input, 1);
}

void compute_conv2d_backward_weight(ComputeCall& call) {
  if (is_channels_last_double(call))
    return on_plain_arrays(call, compute_conv2d_backward_weight, 2);
  const ConvolutionShape shape =
      convolution_shape(call, call.inputs[1], call.outputs[0], call.inputs[0]);
  if (is_empty(shape)) return fill_empty(call, shape);
  convolve(
      call, shape,
      [](PatchConvolution<double>& convolution, const double* dy, const double* input,
         const double*, double* dw) { convolution.backward_weight(dy, input, dw); },
      [&](const float* dy, const float* input, const float*, float* dw) {
        if (few_pixels_suit_backward(shape))
          return few_pixels_backward_weight(shape, dy, input, dw, *call.parallel);
        if (winograd_suits_backward_weight(shape))
          return winograd_backward_weight(shape, dy, input, dw, *call.parallel);
        if (patch_gradient_suits(shape))
          return patch_gradient(shape, dy, input, dw, *call.parallel);
        check(dnnl_plugin().backward_weight(shape, dy, input, dw, *call.parallel));
      });
}

}  // namespace tide
