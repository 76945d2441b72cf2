// 2-D pooling.
#include <string>

#include "runtime/cuda/launchers/launchers.h"

namespace tide::cuda {
namespace {

/// `backward`: the result has the size of the pooling's input.
bool launch_pool(ComputeLaunch& call, const char* name, bool backward, bool largest) {
  // The attributes of both kinds of pooling have the same first and last members.
  const auto a = unpack<MaxPoolAttributes>(call.step.attributes);
  const bool last = a.channels_last;
  const Shape source = planes_of(call.input_layout(0).shape, last);
  const Shape result = planes_of(call.output_shape(0), last);
  const Shape &input = backward ? result : source, &output = backward ? source : result;
  PoolArguments g{};
  g.x = call.input(0);
  g.y = call.output(0);
  if (largest && backward) g.chosen = static_cast<const int64_t*>(call.input(1));
  if (largest && !backward && call.step.outputs.size() > 1)
    g.positions = static_cast<int64_t*>(call.output(1));
  g.outer = last ? input[0] : input[0] * input[1];
  g.inner = last ? input[1] : 1;
  g.input_h = input[2], g.input_w = input[3], g.output_h = output[2], g.output_w = output[3];
  g.kernel_h = a.kernel[0], g.kernel_w = a.kernel[1];
  g.stride_h = a.stride[0], g.stride_w = a.stride[1];
  g.pad_h = a.padding[0], g.pad_w = a.padding[1];
  if (largest) {
    g.dilation_h = a.dilation[0], g.dilation_w = a.dilation[1];
  } else {
    const auto average = unpack<AvgPoolAttributes>(call.step.attributes);
    g.dilation_h = g.dilation_w = 1;
    g.count_pad = average.count_include_pad, g.divisor = average.divisor_override;
  }
  run(call, "pooling", std::string(name) + "_" + suffix_of(call.step.outputs[0].type), g,
      blocks_for(result.numel()), kElementThreads);
  return true;
}

}  // namespace

bool launch_pooling(ComputeLaunch& call) {
  switch (call.step.op) {
    case ComputeOp::max_pool2d:
      return launch_pool(call, "max_pool2d", false, true);
    case ComputeOp::max_pool2d_backward:
      return launch_pool(call, "max_pool2d_backward", true, true);
    case ComputeOp::avg_pool2d:
      return launch_pool(call, "avg_pool2d", false, false);
    default:
      return launch_pool(call, "avg_pool2d_backward", true, false);
  }
}

}  // namespace tide::cuda
