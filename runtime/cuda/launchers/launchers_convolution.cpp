// 2-D convolutions: by cuDNN, else by tide's kernels.
#include <string>

#include "runtime/cuda/launch/embedded_kernels.h"
#include "runtime/cuda/launchers/launchers.h"
#include "runtime/cuda/libraries/slow_path.h"

namespace tide::cuda {
namespace {

/// Enqueues the convolution with cuDNN; false if cuDNN does not support it.
bool convolve_by_library(ComputeLaunch& call, const ConvolutionArguments& g) {
  for (const int64_t size : {g.n, g.c, g.h, g.w, g.o, g.oh, g.ow, g.kh, g.kw})
    if (size == 0) return false;
  const bool tf32 = unpack<ConvolutionAttributes>(call.step.attributes).tf32;
  const DType type = call.step.outputs[0].type;
  const LibraryOutcome outcome =
      call.kernels.dnn().convolve(g, call.step.op, type, tf32, call.flushed());
  if (outcome.enqueued) return true;
  double operations = 2;
  for (const int64_t size : {g.n, g.o, g.oh, g.ow, g.c / g.groups, g.kh, g.kw})
    operations *= static_cast<double>(size);
  warn_slow("a convolution of " + std::string(name_of(type)), operations, outcome.refusal);
  return false;
}

ConvolutionArguments convolution_arguments(ComputeLaunch& call, const Shape& input,
                                           const Shape& weight, const Shape& output) {
  const auto a = unpack<ConvolutionAttributes>(call.step.attributes);
  ConvolutionArguments g{};
  g.x = call.input(0);
  g.weight = call.input(1);
  g.bias = a.has_bias ? call.input(2) : nullptr;
  g.y = call.output(0);
  g.n = input[0], g.c = input[1], g.h = input[2], g.w = input[3];
  g.o = weight[0], g.oh = output[2], g.ow = output[3], g.kh = weight[2], g.kw = weight[3];
  g.stride_h = a.stride[0], g.stride_w = a.stride[1];
  g.pad_h = a.padding[0], g.pad_w = a.padding[1];
  g.dilation_h = a.dilation[0], g.dilation_w = a.dilation[1];
  g.groups = a.groups;
  g.channels_last = a.channels_last;
  return g;
}

}  // namespace

bool launch_convolution(ComputeLaunch& call) {
  const bool last = unpack<ConvolutionAttributes>(call.step.attributes).channels_last;
  const Shape first = planes_of(call.input_layout(0).shape, last);
  const Shape second = planes_of(call.input_layout(1).shape, last);
  const Shape result = planes_of(call.output_shape(0), last);
  const ComputeOp op = call.step.op;
  const bool onto_weight = op == ComputeOp::conv2d_backward_weight;
  ConvolutionArguments g =
      op == ComputeOp::conv2d                  ? convolution_arguments(call, first, second, result)
      : op == ComputeOp::conv2d_backward_input ? convolution_arguments(call, result, second, first)
                                               : convolution_arguments(call, second, result, first);
  if (convolve_by_library(call, g)) return true;
  if (!embedded_ptx("convolution")) return false;
  const char* name = op == ComputeOp::conv2d                  ? "conv2d_"
                     : op == ComputeOp::conv2d_backward_input ? "conv2d_backward_input_"
                                                              : "conv2d_backward_weight_";
  run(call, "convolution", std::string(name) + suffix_of(call.step.outputs[0].type), g,
      onto_weight ? result.numel() : blocks_for(result.numel()),
      onto_weight ? kWeightThreads : kElementThreads);
  return true;
}

}  // namespace tide::cuda
