// Compute ops on planes (n, c, h, w), which may be channels last.
#include "runtime/ops/nn/planes.h"

#include "runtime/autograd/autograd.h"
#include "runtime/device/registry.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/body.h"

namespace tide {

bool stays_channels_last(const Tensor& x) {
  return capabilities(x.device()).channels_last && x.layout().is_channels_last();
}

Tensor arranged(const Tensor& x, bool channels_last) {
  return in_format(x, channels_last ? MemoryFormat::channels_last : MemoryFormat::contiguous);
}

std::vector<Tensor> record_on_planes(ComputeOp op, const char* name, std::span<const Tensor> inputs,
                                     std::span<const ComputeResult> outputs,
                                     std::span<const int64_t> attributes,
                                     const PlanesLayout& layout) {
  std::vector<Tensor> turned(inputs.begin(), inputs.end());
  for (size_t i = 0; i < turned.size(); ++i)
    if (layout.inputs[i] && turned[i].rank() == 4)
      turned[i] = make_view(turned[i], with_channels_last(turned[i].layout()));
  if (!layout.results) return record_compute(op, name, turned, outputs, attributes);
  std::vector<ComputeResult> results;
  for (const ComputeResult& output : outputs)
    results.push_back({with_channels_last(Layout(output.shape)).shape, output.type});
  std::vector<Tensor> y = record_compute(op, name, turned, results, attributes);
  for (size_t i = 0; i < y.size(); ++i) y[i].body().layout = channels_last_layout(outputs[i].shape);
  return y;
}

}  // namespace tide
