// Tensors around a replay: values and layouts of its inputs and outputs.
#include "runtime/tensor/recorded_call.h"

#include "runtime/tensor/body.h"

namespace tide {
namespace {

std::vector<Ref<Node>> values_of(std::span<const Tensor> tensors) {
  std::vector<Ref<Node>> values;
  values.reserve(tensors.size());
  for (const Tensor& tensor : tensors) values.push_back(tensor.body().cell->value);
  return values;
}

std::vector<Layout> layouts_of(std::span<const Tensor> tensors) {
  std::vector<Layout> layouts;
  layouts.reserve(tensors.size());
  for (const Tensor& tensor : tensors) layouts.push_back(tensor.layout());
  return layouts;
}

}  // namespace

std::optional<std::vector<Tensor>> RecordedCall::run(std::span<const Tensor> inputs) const {
  if (inputs.size() != inputs_.size()) return std::nullopt;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!(inputs[i].layout() == inputs_[i])) return std::nullopt;
  const auto values = replay_.run(values_of(inputs));
  if (!values) return std::nullopt;
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < values->size(); ++i) {
    Tensor output = make_tensor((*values)[i]);
    output.body().layout = outputs_[i];
    outputs.push_back(std::move(output));
  }
  return outputs;
}

CallRecording::CallRecording(std::span<const Tensor> inputs)
    : inputs_(layouts_of(inputs)), recording_(new ReplayRecording(values_of(inputs))) {}

std::optional<RecordedCall> CallRecording::finish(std::span<const Tensor> outputs) {
  if (!recording_) return std::nullopt;
  auto replay = recording_->finish(values_of(outputs));
  recording_.reset();
  if (!replay) return std::nullopt;
  RecordedCall call;
  call.replay_ = std::move(*replay);
  call.inputs_ = std::move(inputs_);
  call.outputs_ = layouts_of(outputs);
  return call;
}

}  // namespace tide
