// Backward passes: gradients of leaves, or of chosen tensors.
#pragma once

#include <span>
#include <vector>

#include "runtime/tensor/tensor.h"

namespace tide {

struct BackwardOptions {
  bool retain_graph = false;  ///< keep what a second backward through the same graph needs
  bool create_graph = false;  ///< gradients get a grad function of their own; implies retain_graph
};
/// Adds the gradient of y to `.grad` of all leaves that it was computed from. `dy` (undefined: 1,
/// if y has one element) has y's shape. Flushes; does not wait.
void backward(const Tensor& y, const Tensor& dy = {}, BackwardOptions options = {});
/// Gradients of the sum of the outputs (weighted by `weights`, or by 1) with respect to the inputs,
/// which need not be leaves; `.grad` stays as it is. Throws Error for an input that the outputs do
/// not depend on, or with `allow_unused` gives an undefined tensor.
std::vector<Tensor> gradients(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                              std::span<const Tensor> weights = {}, BackwardOptions options = {},
                              bool allow_unused = false);

/// Whether backward passes of this thread look at every gradient, and throw an Error that names the
/// op and line whose gradient first is nan or infinite. They then wait for each.
bool anomaly_detection();
void set_anomaly_detection(bool on);
/// Whether all elements are numbers. Waits.
bool all_finite(const Tensor& x);

}  // namespace tide
