// Convolutions: one compute op over planes; its two gradients are compute ops whose gradients are
// each other. Other numbers of dimensions are built on it.
#include "runtime/ops/nn/convolution.h"

#include <array>
#include <string>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/device/registry.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/float32_precision.h"
#include "runtime/ops/nn/integer_convolution.h"
#include "runtime/ops/nn/planes.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/padding.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/derived.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Parameters of windows, one value for each of up to three dimensions.
struct Window {
  const char* name;
  int dims;
  std::array<int64_t, 3> stride{}, padding{}, dilation{};
  int64_t groups = 1;
  bool channels_last = false;         ///< memory layout of the planes
  bool weight_channels_last = false;  ///< and of the weight
};

std::array<int64_t, 3> per_dim(const char* name, const char* what,
                               const std::optional<Sizes>& sizes, int dims, int64_t otherwise,
                               int64_t least) {
  std::array<int64_t, 3> result{};
  if (sizes) check_one_or_each(name, what, sizes->size(), dims);
  for (int d = 0; d < dims; ++d) {
    result[d] = !sizes ? otherwise : (*sizes)[sizes->size() == 1 ? 0 : d];
    check_amount(name, what, result[d], least);
  }
  return result;
}

Window window_of(const char* name, int dims, const std::optional<Sizes>& stride,
                 const std::optional<Sizes>& padding, const std::optional<Sizes>& dilation,
                 std::optional<int64_t> groups) {
  Window window{name, dims};
  window.stride = per_dim(name, "stride", stride, dims, 1, 1);
  window.padding = per_dim(name, "padding", padding, dims, 0, 0);
  window.dilation = per_dim(name, "dilation", dilation, dims, 1, 1);
  window.groups = groups.value_or(1);
  check_least(name, "groups", window.groups, 1);
  return window;
}

/// The likely fix for an input whose dimension `at` does not have the expected channels.
std::string channels_hint(const Shape& x, int at, int64_t channels) {
  if (at == 0 && channels == 1) return "; a batch without channels gets them by x:unsqueeze(2)";
  if (x[x.rank() - 1] == channels)
    return "; channels belong in dimension " + std::to_string(at + 1) + ", not the last: x:permute";
  return {};
}

/// Checks types and shapes of a convolution of x (n, c, ...) or (c, ...), which must have
/// `channels` channels, into `outputs`.
void check_operands(const Window& w, const Tensor& x, const Tensor& weight,
                    const std::optional<Tensor>& bias, int64_t channels, int64_t outputs) {
  const std::string name = w.name;
  const int at = x.rank() - w.dims - 1;  // the channels
  if (weight.rank() != w.dims + 2 || at < 0 || at > 1)
    throw ShapeError(name + ": the input needs " + std::to_string(w.dims + 1) + " or " +
                     std::to_string(w.dims + 2) + " dimensions, the weight " +
                     std::to_string(w.dims + 2) + ": " + x.shape().text() + " and " +
                     weight.shape().text());
  check_same_type(w.name, x.dtype(), weight.dtype());
  if (bias) check_same_type(w.name, x.dtype(), bias->dtype());
  check_numbers(w.name, x);
  if (const int64_t actual = x.shape()[at]; actual != channels)
    throw ShapeError(name + ": the input " + x.shape().text() + " has " + std::to_string(actual) +
                     (actual == 1 ? " channel" : " channels") + ", the weight " +
                     weight.shape().text() +
                     (w.groups == 1 ? "" : " with " + std::to_string(w.groups) + " groups") +
                     " takes " + std::to_string(channels) + channels_hint(x.shape(), at, channels));
  if (weight.shape()[0] % w.groups != 0)
    throw ShapeError(name + ": " + std::to_string(weight.shape()[0]) +
                     " channels do not divide into " + std::to_string(w.groups) + " groups");
  if (bias) check_shape(w.name, "a bias", *bias, {outputs}, &weight);
  for (int d = 2; d < weight.rank(); ++d)
    if (weight.shape()[d] == 0)
      throw ShapeError(name + ": the kernel is empty: " + weight.shape().text());
}

/// Size of the result in one dimension.
int64_t result_size(const Window& w, const Tensor& x, const Tensor& weight, int d) {
  const int64_t reach = w.dilation[d] * (weight.shape()[d + 2] - 1) + 1;
  const int64_t padded = x.shape()[d + 2] + 2 * w.padding[d];
  if (padded < reach) throw_kernel_too_large(w.name, weight.shape()[d + 2], padded);
  return (padded - reach) / w.stride[d] + 1;
}

ConvolutionAttributes attributes_of(const Window& w, bool has_bias) {
  return {.has_bias = has_bias,
          .stride = {w.stride[0], w.stride[1]},
          .padding = {w.padding[0], w.padding[1]},
          .dilation = {w.dilation[0], w.dilation[1]},
          .groups = w.groups,
          .tf32 = float32_matmul_precision() != Float32Precision::highest,
          .weight_channels_last = w.weight_channels_last,
          .channels_last = w.channels_last};
}

Tensor record_plane(ComputeOp op, const Window& w, std::span<const Tensor> inputs,
                    const Shape& shape, bool has_bias = false) {
  const auto attributes = pack(attributes_of(w, has_bias));
  const ComputeResult result{shape, inputs[0].dtype()};
  PlanesLayout layout(w.channels_last);
  (op == ComputeOp::conv2d_backward_weight ? layout.results : layout.inputs[1]) =
      w.weight_channels_last;
  return record_on_planes(op, w.name, inputs, {&result, 1}, attributes, layout)[0];
}

Tensor arranged_planes(const Window& w, const Tensor& x) { return arranged(x, w.channels_last); }

Tensor arranged_weight(const Window& w, const Tensor& weight) {
  return arranged(weight, w.weight_channels_last);
}

Tensor input_gradient(const Window& w, const Tensor& dy, const Tensor& weight, const Shape& shape);
Tensor weight_gradient(const Window& w, const Tensor& dy, const Tensor& x, const Shape& shape);

/// The weight prepared for a convolution of x into `shape`, if there is such a form, and the weight
/// stays as it is.
Tensor prepared_weight(const Window& w, const Tensor& x, const Tensor& weight, const Shape& shape,
                       bool has_bias) {
  const auto size = platform(x.device().kind).prepared_size;
  if (!size || weight.dtype() != DType::f32 || shape.numel() == 0) return {};
  PrepareWeightAttributes a{
      .input = {}, .weight = {}, .output = {}, .convolution = attributes_of(w, has_bias)};
  for (int d = 0; d < 4; ++d) {
    a.input[d] = x.shape()[d];
    a.weight[d] = weight.shape()[d];
    a.output[d] = shape[d];
  }
  const auto attributes = pack(a);
  return derived_from(weight, attributes, [&] {
    const int64_t count = size(attributes);
    if (!has_room_for_derived(weight, static_cast<size_t>(count) * sizeof(float))) return Tensor();
    const Tensor whole =
        w.weight_channels_last ? make_view(weight, with_channels_last(weight.layout())) : weight;
    const ComputeResult result{{count}, DType::f32};
    return record_compute(ComputeOp::prepare_weight, w.name, {&whole, 1}, {&result, 1},
                          attributes)[0];
  });
}

/// The convolution itself, of x (n, c, h, w); bias may be undefined.
Tensor plane(const Window& w, const Tensor& input, const Tensor& kernel, const Tensor& bias) {
  const Tensor x = arranged_planes(w, input), weight = arranged_weight(w, kernel);
  const Shape shape{x.shape()[0], weight.shape()[0], result_size(w, x, weight, 0),
                    result_size(w, x, weight, 1)};
  const Tensor operands[] = {x, weight, bias.defined() ? contiguous(bias) : bias};
  const std::span used(operands, bias.defined() ? 3 : 2);
  // A separate addition fuses with the following ops, and gives the same bits.
  const bool apart = bias.defined() && !capabilities(x.device()).convolution_takes_bias;
  const bool has_bias = bias.defined() && !apart;
  const bool differentiable =
      needs_grad_fn(x) || needs_grad_fn(weight) || (bias.defined() && needs_grad_fn(bias));
  std::vector<Tensor> inputs(operands, operands + (has_bias ? 3 : 2));
  if (!differentiable)
    if (const Tensor prepared = prepared_weight(w, x, weight, shape, has_bias); prepared.defined())
      inputs.push_back(prepared);
  Tensor y = record_plane(ComputeOp::conv2d, w, inputs, shape, has_bias);
  if (apart) {
    Layout column;
    operands[2].layout().reshape({weight.shape()[0], 1, 1}, &column);
    y = record_map(ElementwiseOp::add, w.name, y.dtype(), y.dtype(),
                   {y, make_view(operands[2], column)});
  }
  if (differentiable) {
    set_grad_fn(y, w.name, used, false,
                [w, x = Saved(x), weight = Saved(weight)](const GradientCall& call) {
                  std::vector<Tensor> result(call.needed.size());
                  const Tensor dy = arranged_planes(w, call.dy);
                  if (call.needed[0])
                    result[0] = input_gradient(w, dy, weight.get(), x.get().shape());
                  if (call.needed[1])
                    result[1] = weight_gradient(w, dy, x.get(), weight.get().shape());
                  if (result.size() > 2 && call.needed[2]) result[2] = sum(dy, Dims{0, 2, 3});
                  return result;
                });
  }
  return y;
}

Tensor input_gradient(const Window& w, const Tensor& dy, const Tensor& weight, const Shape& shape) {
  const Tensor inputs[] = {dy, weight};
  const Tensor dx = record_plane(ComputeOp::conv2d_backward_input, w, inputs, shape);
  if (needs_grad_fn(dy) || needs_grad_fn(weight)) {
    set_grad_fn(dx, w.name, inputs, false,
                [w, dy = Saved(dy), weight = Saved(weight)](const GradientCall& call) {
                  std::vector<Tensor> result(2);
                  const Tensor slope = arranged_planes(w, call.dy);
                  if (call.needed[0]) result[0] = plane(w, slope, weight.get(), Tensor());
                  if (call.needed[1])
                    result[1] = weight_gradient(w, dy.get(), slope, weight.get().shape());
                  return result;
                });
  }
  return dx;
}

Tensor weight_gradient(const Window& w, const Tensor& dy, const Tensor& x, const Shape& shape) {
  const Tensor inputs[] = {dy, x};
  const Tensor dw = record_plane(ComputeOp::conv2d_backward_weight, w, inputs, shape);
  if (needs_grad_fn(dy) || needs_grad_fn(x)) {
    set_grad_fn(dw, w.name, inputs, false,
                [w, dy = Saved(dy), x = Saved(x)](const GradientCall& call) {
                  std::vector<Tensor> result(2);
                  const Tensor slope = arranged_weight(w, call.dy);
                  if (call.needed[0]) result[0] = plane(w, x.get(), slope, Tensor());
                  if (call.needed[1])
                    result[1] = input_gradient(w, dy.get(), slope, x.get().shape());
                  return result;
                });
  }
  return dw;
}

/// A window over planes in the operands' layout.
Window arranged_like(const Window& w, const Tensor& x, const Tensor& weight) {
  Window result = w;
  const bool last = stays_channels_last(weight);
  result.channels_last = last || stays_channels_last(x);
  result.weight_channels_last =
      last || (result.channels_last && capabilities(x.device()).channels_last_weights);
  return result;
}

/// A window over one dimension as one over planes of height 1.
Window flat(const Window& w) {
  Window result = w;
  result.stride = {1, w.stride[0]};
  result.padding = {0, w.padding[0]};
  result.dilation = {1, w.dilation[0]};
  return result;
}

/// A window over three dimensions as one over planes: without the depth.
Window planes_of(const Window& w) {
  Window planes = w;
  planes.dims = 2;
  for (auto part : {&Window::stride, &Window::padding, &Window::dilation})
    planes.*part = {(w.*part)[1], (w.*part)[2]};
  return planes;
}

/// Three dimensions as planes: one convolution for each index along the kernel's depth; their
/// results are summed in at least float32.
Tensor volume(const Window& w, const Tensor& input, const Tensor& given_weight,
              const Tensor& given_bias) {
  const DType type = compute_type(input.dtype());
  const Tensor x = convert(input, type), weight = convert(given_weight, type);
  const Tensor bias = given_bias.defined() ? convert(given_bias, type) : given_bias;
  const int64_t depth = result_size(w, x, weight, 0), n = x.shape()[0];
  const Window planes = planes_of(w);
  // Depth moves next to the batch, so that equal depths of all samples are one batch of planes.
  const Tensor padded = pad(x, {0, 0, 0, 0, w.padding[0], w.padding[0]});
  const Tensor deep = transpose(padded, Dim{1}, Dim{2});
  Tensor total;
  for (int64_t k = 0; k < weight.shape()[2]; ++k) {
    const Tensor here = slice(deep, 1, k * w.dilation[0], depth, w.stride[0]);
    const Tensor batch = flatten(here, Dim{0}, Dim{1});
    const Tensor term =
        plane(planes, batch, select(weight, Dim{2}, Position{k + 1}), k == 0 ? bias : Tensor());
    total = total.defined() ? total + term : term;
  }
  total = convert(total, input.dtype());
  return transpose(unflatten(total, Dim{0}, {n, depth}), Dim{1}, Dim{2});
}

/// y plus a bias for each channel.
Tensor with_bias(const Tensor& y, const std::optional<Tensor>& bias) {
  if (!bias) return y;
  Shape across;
  for (int d = 0; d < y.rank(); ++d) across.push_back(d == 1 ? y.shape()[1] : 1);
  return y + reshape_to(*bias, across);
}

whole::Window whole_window(const Window& w) {
  return {w.dims, w.stride, w.padding, w.dilation, w.groups};
}

Tensor convolve_whole(const Window& w, const Tensor& x, const Tensor& weight,
                      const std::optional<Tensor>& bias) {
  Shape shape{x.shape()[0], weight.shape()[0]};
  for (int d = 0; d < w.dims; ++d) shape.push_back(result_size(w, x, weight, d));
  return with_bias(whole::convolve(whole_window(w), x, weight, shape), bias);
}

Tensor convolve(const Window& w, const Tensor& input, const Tensor& weight,
                const std::optional<Tensor>& bias) {
  // A missing batch dimension is added temporarily.
  const bool single = input.rank() == w.dims + 1;
  const Tensor x = single ? unsqueeze(input, Dim{0}) : input;
  if (weight.rank() != w.dims + 2) check_operands(w, input, weight, bias, 0, 0);
  check_operands(w, input, weight, bias, weight.shape()[1] * w.groups, weight.shape()[0]);
  const Tensor b = bias ? *bias : Tensor();
  Tensor y;
  if (!is_floating(x.dtype())) {
    y = convolve_whole(w, x, weight, bias);
  } else if (w.dims == 1) {
    y = plane(flat(w), unsqueeze(x, Dim{2}), unsqueeze(weight, Dim{2}), b);
    y = squeeze(y, Dims{2});
  } else {
    y = w.dims == 2 ? in_format_of(plane(arranged_like(w, x, weight), x, weight, b), x, weight)
                    : volume(w, x, weight, b);
  }
  return single ? squeeze(y, Dims{0}) : y;
}

Tensor convolve_named(const char* name, int dims, const Tensor& input, const Tensor& weight,
                      const std::optional<Tensor>& bias, const std::optional<Sizes>& stride,
                      const std::string& padding, const std::optional<Sizes>& dilation,
                      std::optional<int64_t> groups) {
  Window w = window_of(name, dims, stride, {}, dilation, groups);
  if (padding == "valid") return convolve(w, input, weight, bias);
  if (padding != "same")
    throw Error(std::string(name) + ": padding must be a number, \"same\" or \"valid\", got " +
                padding);
  Sizes uneven;  // extra padding of one side, from the last dimension
  bool even = true;
  for (int d = dims - 1; d >= 0; --d) {
    if (w.stride[d] != 1)
      throw ShapeError(std::string(name) + ": padding \"same\" needs stride 1, got " +
                       std::to_string(w.stride[d]));
    if (weight.rank() != dims + 2) break;
    const int64_t total = w.dilation[d] * (weight.shape()[d + 2] - 1);
    w.padding[d] = total / 2;
    uneven.push_back(0);
    uneven.push_back(total % 2);
    even = even && total % 2 == 0;
  }
  return convolve(w, even ? input : pad(input, uneven), weight, bias);
}

/// Sizes of a transposed convolution of x. Throws ShapeError unless each is positive.
Shape transposed_shape(const Window& w, const std::array<int64_t, 3>& extra, const Tensor& x,
                       const Tensor& weight) {
  Shape shape{x.shape()[0], weight.shape()[1] * w.groups};
  for (int d = 0; d < w.dims; ++d) {
    if (extra[d] >= w.stride[d] && extra[d] >= w.dilation[d])
      throw ShapeError(
          std::string(w.name) +
          ": output_padding must be smaller than stride or dilation: " + std::to_string(extra[d]));
    const int64_t size = (x.shape()[d + 2] - 1) * w.stride[d] - 2 * w.padding[d] +
                         w.dilation[d] * (weight.shape()[d + 2] - 1) + extra[d] + 1;
    check_least(w.name, "the size of the result", size, 1);
    shape.push_back(size);
  }
  return shape;
}

Tensor enlarge(const Window& w, const std::array<int64_t, 3>& extra, const Tensor& x,
               const Tensor& weight);

/// Three dimensions as planes: each index along the kernel's depth is scattered into the result, in
/// at least float32.
Tensor enlarge_volume(const Window& w, const std::array<int64_t, 3>& extra, const Tensor& input,
                      const Tensor& given_weight, int64_t size) {
  const DType type = compute_type(input.dtype());
  const Tensor x = convert(input, type), weight = convert(given_weight, type);
  const int64_t n = x.shape()[0], depth = x.shape()[2], stride = w.stride[0];
  const Tensor batch = flatten(transpose(x, Dim{1}, Dim{2}), Dim{0}, Dim{1});
  Tensor total;
  for (int64_t k = 0; k < weight.shape()[2]; ++k) {
    const Tensor term = unflatten(
        enlarge(planes_of(w), {extra[1], extra[2]}, batch, select(weight, Dim{2}, Position{k + 1})),
        Dim{0}, {n, depth});
    // `stride` output depths for each plane, the first of which gets its values.
    const Tensor apart =
        flatten(pad(unsqueeze(term, Dim{2}), {0, 0, 0, 0, 0, 0, 0, stride - 1}), Dim{1}, Dim{2});
    const int64_t before = k * w.dilation[0] - w.padding[0];
    const Tensor padded = pad(apart, {0, 0, 0, 0, 0, 0, before, size - before - depth * stride});
    total = total.defined() ? total + padded : padded;
  }
  return transpose(convert(total, input.dtype()), Dim{1}, Dim{2});
}

/// Transposed convolution of x (n, c, ...) without bias.
Tensor enlarge(const Window& w, const std::array<int64_t, 3>& extra, const Tensor& x,
               const Tensor& weight) {
  Shape shape = transposed_shape(w, extra, x, weight);
  if (w.dims == 3) return enlarge_volume(w, extra, x, weight, shape[2]);
  bool beyond = false;
  for (int d = 0; d < w.dims; ++d) beyond = beyond || extra[d] >= w.stride[d];
  if (beyond) {
    // A convolution's gradient cannot have this size: computes a larger result, then crops it.
    Window whole = w;
    whole.padding = {};
    Sizes crop;
    for (int d = w.dims - 1; d >= 0; --d) {
      crop.push_back(-w.padding[d]);
      crop.push_back(extra[d] - w.padding[d]);
    }
    return pad(enlarge(whole, {}, x, weight), crop);
  }
  if (w.dims == 2) {
    const Window planes = arranged_like(w, x, weight);
    const Tensor y =
        input_gradient(planes, arranged_planes(planes, x), arranged_weight(planes, weight), shape);
    return in_format_of(y, x, weight);
  }
  shape.insert(2, 1);
  return squeeze(input_gradient(flat(w), contiguous(unsqueeze(x, Dim{2})),
                                contiguous(unsqueeze(weight, Dim{2})), shape),
                 Dims{2});
}

Tensor convolve_transposed(const Window& w, const std::array<int64_t, 3>& extra,
                           const Tensor& input, const Tensor& weight,
                           const std::optional<Tensor>& bias) {
  const bool single = input.rank() == w.dims + 1;
  const Tensor x = single ? unsqueeze(input, Dim{0}) : input;
  if (weight.rank() != w.dims + 2) check_operands(w, input, weight, bias, 0, 0);
  const int64_t outputs = weight.shape()[1] * w.groups;
  check_operands(w, input, weight, bias, weight.shape()[0], outputs);
  if (!is_floating(x.dtype()) && x.dtype() != DType::i64)
    throw_type(w.name, "a floating type or int64", x.dtype());
  Tensor y = is_floating(x.dtype())
                 ? enlarge(w, extra, x, weight)
                 : whole::convolve_transposed(whole_window(w), x, weight,
                                              transposed_shape(w, extra, x, weight));
  y = with_bias(y, bias);
  return single ? squeeze(y, Dims{0}) : y;
}

}  // namespace

#define TIDE_CONVOLUTION(name, dims)                                                             \
  Tensor name(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,          \
              const std::optional<Sizes>& stride, const std::optional<Sizes>& padding,           \
              const std::optional<Sizes>& dilation, std::optional<int64_t> groups) {             \
    return convolve(window_of(#name, dims, stride, padding, dilation, groups), x, weight, bias); \
  }                                                                                              \
  Tensor name##_named(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,  \
                      const std::optional<Sizes>& stride, const std::string& padding,            \
                      const std::optional<Sizes>& dilation, std::optional<int64_t> groups) {     \
    return convolve_named(#name, dims, x, weight, bias, stride, padding, dilation, groups);      \
  }

TIDE_CONVOLUTION(conv1d, 1)
TIDE_CONVOLUTION(conv2d, 2)
TIDE_CONVOLUTION(conv3d, 3)
#undef TIDE_CONVOLUTION

#define TIDE_TRANSPOSED_CONVOLUTION(name, dims)                                                 \
  Tensor name(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias,         \
              const std::optional<Sizes>& stride, const std::optional<Sizes>& padding,          \
              const std::optional<Sizes>& output_padding, std::optional<int64_t> groups,        \
              const std::optional<Sizes>& dilation) {                                           \
    return convolve_transposed(window_of(#name, dims, stride, padding, dilation, groups),       \
                               per_dim(#name, "output_padding", output_padding, dims, 0, 0), x, \
                               weight, bias);                                                   \
  }

TIDE_TRANSPOSED_CONVOLUTION(conv_transpose1d, 1)
TIDE_TRANSPOSED_CONVOLUTION(conv_transpose2d, 2)
TIDE_TRANSPOSED_CONVOLUTION(conv_transpose3d, 3)
#undef TIDE_TRANSPOSED_CONVOLUTION

}  // namespace tide
