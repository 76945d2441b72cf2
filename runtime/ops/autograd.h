// Reverse-mode differentiation over recorded ops.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/tensor/tensor.h"

namespace tide {

/// A tensor's value and history at one moment, kept for a backward pass: later in-place writes do not change it.
class Saved {
 public:
  explicit Saved(const Tensor& x);
  /// A tensor of that value, with that history.
  Tensor get() const { return tensor_; }

 private:
  Tensor tensor_;
};

/// Whether a result computed from x now gets a history: x requires a gradient and no_grad is not in force.
bool needs_history(const Tensor& x);

/// What a backward function is given.
struct GradientCall {
  Tensor dy;                ///< gradient of the result
  Tensor y;                 ///< the result itself, if it was asked for
  std::span<const bool> needed;  ///< per input: whether its gradient is wanted
};
/// Returns the gradient of each input (undefined: none), in the input's shape and type.
using GradientFunction = std::function<std::vector<Tensor>(const GradientCall&)>;

/// Makes `y` differentiable: backward calls `gradient` with the gradient of y and passes what it returns on to `inputs`.
/// Does nothing if no input needs history. Captured tensors must be `Saved`.
void set_history(const Tensor& y, const char* name, std::span<const Tensor> inputs, bool uses_y,
                 GradientFunction gradient);
void set_history(const Tensor& y, const char* name, std::initializer_list<Tensor> inputs, bool uses_y,
                 GradientFunction gradient);

/// Gradients are off between construction and destruction (on this thread); `on` switches them on again inside.
class GradientMode {
 public:
  explicit GradientMode(bool on);
  ~GradientMode();
  static bool enabled();
  static void set(bool on);

 private:
  bool previous_;
};

/// Sums x to `shape`, to which x's shape was broadcast: the gradient of broadcasting.
Tensor sum_to(const Tensor& x, const Shape& shape);

}  // namespace tide
