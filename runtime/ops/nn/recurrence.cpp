// Records recurrent layers.
#include "runtime/ops/nn/recurrence.h"

#include <span>

#include "runtime/record/engine.h"
#include "runtime/tensor/record.h"

namespace tide {
namespace {

constexpr const char* kRecurrenceName = "recurrence";

std::vector<int64_t> attributes_of(const Recurrence& recurrence, bool has_bias) {
  const auto head = pack(RecurrenceAttributes{recurrence.cell, recurrence.backwards, has_bias});
  std::vector<int64_t> attributes(head.begin(), head.end());
  attributes.insert(attributes.end(), recurrence.sizes.begin(), recurrence.sizes.end());
  return attributes;
}

/// Appends dense tensors of the same elements.
void append_dense(std::vector<Tensor>& to, std::span<const Tensor> tensors) {
  for (const Tensor& x : tensors) to.push_back(record_contiguous(x));
}

}  // namespace

bool does_recurrence(const Tensor& x) {
  return (x.dtype() == DType::f32 || x.dtype() == DType::f64) &&
         engine::has_library(x.device(), ComputeOp::recurrence);
}

std::vector<Tensor> recurrence(const Recurrence& recurrence, const Tensor& input,
                               const std::vector<Tensor>& state, const Tensor& weight,
                               const std::optional<Tensor>& bias, bool keep) {
  std::vector<Tensor> inputs{record_contiguous(input)};
  append_dense(inputs, state);
  inputs.push_back(weight);
  if (bias) inputs.push_back(*bias);
  const DType type = input.dtype();
  const int64_t rows = input.shape()[0], size = state[0].shape()[1];
  std::vector<ComputeResult> results{{{rows, size}, type}};
  for (const Tensor& each : state) results.push_back({each.shape(), type});
  if (keep) {
    const bool whole_cell = gate_count(recurrence.cell) > 1;
    results.push_back({{rows, whole_cell ? 4 * size : size}, type});
    for (size_t i = 0; i < state.size(); ++i) results.push_back({{rows, size}, type});
  }
  return record_compute(ComputeOp::recurrence, kRecurrenceName, inputs, results,
                        attributes_of(recurrence, bias.has_value()));
}

std::vector<Tensor> recurrence_backward(const Recurrence& recurrence,
                                        const std::vector<Tensor>& gradients,
                                        const std::vector<Tensor>& saved_values,
                                        const Tensor& weight) {
  std::vector<Tensor> inputs;
  append_dense(inputs, gradients);
  append_dense(inputs, saved_values);
  inputs.push_back(weight);
  const Tensor& dy = gradients[0];
  const Shape by_gates{dy.shape()[0], weight.shape()[0]};
  std::vector<ComputeResult> results{{by_gates, dy.dtype()}};
  for (size_t i = 1; i < gradients.size(); ++i)
    results.push_back({gradients[i].shape(), dy.dtype()});
  if (recurrence.cell == RecurrenceCell::gru) results.push_back({by_gates, dy.dtype()});
  return record_compute(ComputeOp::recurrence_backward, kRecurrenceName, inputs, results,
                        attributes_of(recurrence, false));
}

}  // namespace tide
